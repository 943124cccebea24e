"""Do the requirements notice? Small mistakes in a protocol, and whether its requirements notice them."""
