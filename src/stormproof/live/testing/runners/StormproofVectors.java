// Runs the vectors of `stormproof testgen --vectors` against an implementation of a role. No dependencies.
// In a test: StormproofVectors.run("client.vectors.json", Client::new);

import java.io.IOException;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.Callable;
import java.util.function.*;
import java.util.regex.*;
import java.util.stream.*;

public final class StormproofVectors {
    static final int ATTEMPTS = 100;
    /** What is sent: a message, as the protocol spells it, to a peer. */
    public record Sent(String peer, String message) {}
    /** Each method gives what is sent then; null: the message is not taken, or no timer runs. */
    public interface Implementation {
        List<Sent> start() throws Exception;
        List<Sent> receive(String peer, String message) throws Exception;
        List<Sent> expire() throws Exception;
        default List<Sent> restart() throws Exception { throw new UnsupportedOperationException("restart"); }
    }
    record Event(String what, String peer, String message) {
        @Override public String toString() {
            if (peer.isEmpty()) return what.equals("timeout") ? "times out" : what + "s";
            return what + "s " + message + (what.equals("send") ? " to " : " from ") + peer;
        }
    }
    record Row(String from, Event event, String to) {}
    record Done(Event transition, String handler) {}
    /** It did what the protocol does not allow, or something else than the vector, which is allowed too. */
    static final class Stop extends Exception {
        static final long serialVersionUID = 1;
        final boolean allowed;
        Stop(boolean allowed, String why) { super(why); this.allowed = allowed; }
    }

    /** Follows all vectors of a file, each on what `make` gives. AssertionError: the protocol does not allow it. */
    public static void run(String path, Supplier<Implementation> make) throws IOException {
        String named = System.getenv("STORMPROOF_VECTORS");
        Map<?, ?> data = (Map<?, ?>) new Json(Files.readString(Path.of(named == null ? path : named))).value();
        if (!"vectors".equals(data.get("stormproof")) || !"1".equals(data.get("version")))
            throw new IOException(path + " has no vectors of version 1");
        List<String> failed = new ArrayList<>();
        for (Object row : (List<?>) data.get("vectors")) {
            Map<?, ?> vector = (Map<?, ?>) row;
            String name = (String) vector.get("name");
            List<Event> steps = ((List<?>) vector.get("steps")).stream().map(s -> event((List<?>) s, 0)).toList();
            String[] found = follow(data, name, steps, make);
            System.out.println(name + ": " + found[0] + " " + found[1]);
            if (found[0].equals("failed")) failed.add(name + ": " + found[1]);
        }
        if (!failed.isEmpty()) throw new AssertionError(String.join("\n", failed));
    }
    static Event event(List<?> parts, int at) {
        Function<Integer, String> part = i -> i < parts.size() ? (String) parts.get(i) : "";
        return new Event(part.apply(at), part.apply(at + 1), part.apply(at + 2));
    }
    static String[] follow(Map<?, ?> data, String name, List<Event> steps, Supplier<Implementation> make)
            throws IOException {
        String other = "";
        for (int i = 0; i < ATTEMPTS; i++) {
            Driven driven = new Driven(data, make.get());
            try {
                driven.call("start", driven.implementation::start);
                for (Event step : steps) driven.step(step);
                return report(name, "passed", "", driven.done);
            } catch (Stop problem) {
                if (!problem.allowed) return report(name, "failed", problem.getMessage(), driven.done);
                other = "in " + ATTEMPTS + " attempts " + problem.getMessage();
            }
        }
        return report(name, "undecided", other, List.of());
    }
    static String[] report(String name, String verdict, String why, List<Done> done) throws IOException {
        String row = "{\"vector\": %s, \"verdict\": %s, \"why\": %s, \"steps\": [%s]}\n";
        String part = "{\"transition\": [%s, %s, %s], \"handler\": %s}";
        String steps = done.stream().map(d -> Json.filled(part, d.transition().what(), d.transition().peer(),
                d.transition().message(), d.handler())).collect(Collectors.joining(", "));
        String line = Json.filled(row.replace("[%s]", "[" + steps.replace("%", "%%") + "]"), name, verdict, why);
        String path = System.getenv("STORMPROOF_REPORT");
        if (path != null) Files.writeString(Path.of(path), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        return new String[] {verdict, why};
    }
    /** An implementation that runs, and where it may be. */
    static final class Driven {
        final List<Row> rows;
        final Set<Object> raised;
        final Implementation implementation;
        final Deque<Done> outbox = new ArrayDeque<>();
        final List<Done> done = new ArrayList<>(); // of a failure, the last is not allowed
        Set<String> states;
        Exception thrown;
        Driven(Map<?, ?> data, Implementation implementation) {
            rows = ((List<?>) data.get("transitions")).stream().map(r -> (List<?>) r)
                    .map(r -> new Row((String) r.get(0), event(r, 1), (String) r.get(4))).toList();
            raised = Set.copyOf((List<?>) data.get("raised"));
            this.implementation = implementation;
            states = closed(Stream.of((String) data.get("initial")));
        }
        /** With what is reached by actions that nobody sees. */
        Set<String> closed(Stream<String> from) {
            Set<String> found = new TreeSet<>();
            Deque<String> open = new ArrayDeque<>(from.toList());
            while (!open.isEmpty())
                if (found.add(open.peek())) does(open.poll(), "silent").forEach(row -> open.add(row.to()));
                else open.poll();
            return found;
        }
        Stream<Row> does(String state, String... what) {
            return rows.stream().filter(r -> r.from().equals(state) && List.of(what).contains(r.event().what()));
        }
        Stream<Row> doing(Event event) {
            return rows.stream().filter(r -> states.contains(r.from()) && r.event().equals(event));
        }
        /** Was it taken? What it sends is in the outbox then. */
        boolean call(String handler, Callable<List<Sent>> method) {
            try {
                List<Sent> sent = method.call();
                if (sent == null) return false;
                sent.forEach(s -> outbox.add(new Done(new Event("send", s.peer(), s.message()), handler)));
            } catch (Exception problem) {
                thrown = problem;
            }
            return true;
        }
        void step(Event event) throws Stop {
            boolean own = event.what().equals("send") || event.what().equals("wait");
            if (own || !event.what().equals("restart") || !outbox.isEmpty()) {
                Event found = next();
                if (own && found.equals(event)) return;
                if (own || found.what().equals("send")) throw new Stop(true, "it " + found + ", not: " + event);
            }
            if (doing(event).findAny().isEmpty()) throw new Stop(true, "it never came to where it " + event);
            String handler = event.what().equals("timeout") ? "expire" : event.what();
            Callable<List<Sent>> receive = () -> implementation.receive(event.peer(), event.message());
            Callable<List<Sent>> other = handler.equals("expire") ? implementation::expire : implementation::restart;
            if (!call(handler, handler.equals("receive") ? receive : other)) {
                Set<String> able = doing(event).map(Row::from).collect(Collectors.toSet());
                go(states.stream().filter(s -> !able.contains(s)), "does not take: " + event, before());
                throw new Stop(true, "it never " + event + " here");
            }
            take(new Done(event, handler));
        }
        /** What it sends next, or that it waits; both must be allowed. */
        Event next() throws Stop {
            if (!outbox.isEmpty()) return take(outbox.poll());
            if (thrown != null && Collections.disjoint(raised, states))
                throw new Stop(false, "it throws " + thrown + ". Before: " + before());
            go(states.stream().filter(s -> does(s, "receive", "timeout").findAny().isPresent()
                    || does(s, "send", "silent").findAny().isEmpty()), "waits", before());
            return new Event("wait", "", "");
        }
        /** It does this, which must be allowed. */
        Event take(Done step) throws Stop {
            String before = before();
            done.add(step);
            go(closed(doing(step.transition()).map(Row::to)).stream(), step.transition().toString(), before);
            return step.transition();
        }
        String before() { return done.stream().map(d -> d.transition().toString()).collect(Collectors.joining(", ")); }
        void go(Stream<String> to, String what, String before) throws Stop {
            Set<String> found = new TreeSet<>(to.toList());
            String allowed = rows.stream().filter(r -> states.contains(r.from()) && !r.event().what().equals("silent"))
                    .map(r -> r.event().toString()).distinct().collect(Collectors.joining(", "));
            if (found.isEmpty())
                throw new Stop(false, "it " + what + "; the protocol allows: " + allowed + ". Before: " + before);
            states = found;
        }
    }
    static final class Json {
        static final Object END = new Object();
        final Matcher tokens;
        Json(String text) {
            tokens = Pattern.compile("\"(?:[^\"\\\\]++|\\\\.)*+\"|[\\[\\]{}]|[^\\s,:\"\\[\\]{}]+").matcher(text);
        }
        Object value() { // a text, a number as text, a list, or a map
            String token = tokens.find() ? tokens.group() : "]";
            if (token.equals("]") || token.equals("}")) return END;
            if (token.startsWith("\""))
                return ESCAPE.matcher(token.substring(1, token.length() - 1)).replaceAll(Json::plain);
            if (!token.equals("[") && !token.equals("{")) return token;
            List<Object> found = new ArrayList<>();
            for (Object next = value(); next != END; next = value()) found.add(next);
            Map<Object, Object> map = new HashMap<>();
            for (int i = 0; i + 1 < found.size() && token.equals("{"); i += 2) map.put(found.get(i), found.get(i + 1));
            return token.equals("[") ? found : map;
        }
        static final Pattern ESCAPE = Pattern.compile("\\\\(u[0-9a-fA-F]{4}|.)");
        static String plain(MatchResult escape) {
            String code = escape.group(1);
            if (code.length() > 1) code = "" + (char) Integer.parseInt(code.substring(1), 16);
            return Matcher.quoteReplacement(code.equals("n") ? "\n" : code.equals("t") ? "\t" : code);
        }
        static String filled(String form, String... texts) {
            Stream<String> plain = Stream.of(texts).map(t -> t.replace("\\", "\\\\").replace("\"", "\\\""));
            return String.format(form, plain.map(t -> "\"" + t.replace("\n", "\\n") + "\"").toArray());
        }
    }
}
