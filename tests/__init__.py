"""Tests of the whole project: the builder, the runner, the scripts, and the site in a browser."""
