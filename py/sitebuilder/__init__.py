"""Turn lesson sources into a folder of static files: parse, model, render, write."""
