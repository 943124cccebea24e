"""A role that logs with logging, as JSON: stormproof trace ask.storm a.ndjson --map logging.toml"""

import json
import logging
import sys


class JsonFormatter(logging.Formatter):
    """What is given as `extra` besides the usual fields."""

    def format(self, record: logging.LogRecord) -> str:
        extra = {name: getattr(record, name) for name in ("peer", "sent") if hasattr(record, name)}
        return json.dumps(
            {"logger": record.name, "level": record.levelname, "message": record.getMessage(), **extra}
        )


handler = logging.StreamHandler(sys.stdout)
handler.setFormatter(JsonFormatter())
logging.basicConfig(level=logging.INFO, handlers=[handler])
log = logging.getLogger("shop.A")

logging.getLogger("shop.http").info("listening")
log.info("sending", extra={"peer": "B", "sent": "ask"})
log.info("timer expired")
log.info("sending", extra={"peer": "B", "sent": "ask"})
log.info("received", extra={"peer": "B", "sent": "answer"})
