"""Sizes in bytes, written for people."""


def in_words(n_bytes: float) -> str:
    """Write a size: "1.3 GB", "27 MB"."""
    if n_bytes >= 1e9:
        return f"{n_bytes / 1e9:.1f} GB"
    return f"{n_bytes / 1e6:.0f} MB" if n_bytes >= 1e7 else f"{n_bytes / 1e6:.1f} MB"


def file_in_words(n_bytes: float) -> str:
    """Write the size of a file, which may be small: "0.7 kB"."""
    return f"{n_bytes / 1e3:.1f} kB" if n_bytes < 1e5 else in_words(n_bytes)
