"""The oracle: PyTorch, asked once and recorded, so that the ordinary tests need no PyTorch."""
