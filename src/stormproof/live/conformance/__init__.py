"""Logs of running roles compared with the protocol: is there a run with these events, with how few faults?"""
