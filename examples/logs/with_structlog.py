"""A role that logs with structlog: stormproof trace ask.storm a.ndjson --field do=event"""

import sys

import structlog

structlog.configure(
    processors=[structlog.processors.TimeStamper(fmt="iso"), structlog.processors.JSONRenderer()],
    logger_factory=structlog.PrintLoggerFactory(sys.stdout),
)
log = structlog.get_logger().bind(role="A")

log.info("send", peer="B", message="ask")
log.info("timeout")
log.info("send", peer="B", message="ask")
log.info("receive", peer="B", message="answer")
