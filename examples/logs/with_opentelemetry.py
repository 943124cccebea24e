"""A role that is traced with OpenTelemetry: stormproof trace ask.storm spans.json --map spans.toml

Collectors write the same documents, one per line.
"""

from google.protobuf.json_format import MessageToJson
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind

spans = InMemorySpanExporter()
provider = TracerProvider(resource=Resource.create({"service.name": "A"}))
provider.add_span_processor(SimpleSpanProcessor(spans))
tracer = provider.get_tracer("ask")

with tracer.start_as_current_span("serve"):
    for name, kind in (("ask", SpanKind.PRODUCER), ("answer", SpanKind.CONSUMER)):
        with tracer.start_as_current_span(name, kind=kind, attributes={"peer.service": "B"}):
            pass

print(MessageToJson(encode_spans(spans.get_finished_spans())))
