"""Worker processes that answer questions about one text: for the page of the studio and for editors.

Whoever asks (`pool`) never reads a protocol itself: every question goes to a process (`worker`), which
answers it with `reading`, `asking`, `playing` or `keeping`.
"""
