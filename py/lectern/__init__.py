"""What a student's cell may use without installing anything; runs in the browser and in CPython."""

from lectern.display import show_attention, show_chart

__all__ = ["show_attention", "show_chart"]
