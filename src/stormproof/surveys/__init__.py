"""Many checks: classes, frontiers, crash sets, campaigns and the paper's table."""
