"""Does a protocol still work when messages are lost, corrupted or reordered, and when processes crash?"""
