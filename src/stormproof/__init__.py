"""Does a message-passing protocol still work when messages are lost, corrupted or reordered, and processes crash?"""
