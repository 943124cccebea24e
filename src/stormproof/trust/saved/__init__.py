"""Saved results, judged by the kernels alone: what of them is proved, refused, or comes without evidence."""
