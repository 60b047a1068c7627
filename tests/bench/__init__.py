"""Measurements that people start by hand; no test passes or fails by them."""
