//! Runs the vectors of `stormproof testgen --vectors` against an implementation of a role. No dependencies.
//! In a test: `stormproof_vectors::run("tests/client.vectors.json", || Client::new());`

use std::collections::{BTreeSet, VecDeque};
use std::{env, fs, io::Write, iter::Peekable, str::Chars};

const ATTEMPTS: usize = 100;
/// A peer, and a message as the protocol spells it.
pub type Sent = (String, String);

/// Each method gives what is sent then; None: the message is not taken, or no timer runs.
pub trait Implementation {
    fn start(&mut self) -> Vec<Sent>;
    fn receive(&mut self, peer: &str, message: &str) -> Option<Vec<Sent>>;
    fn expire(&mut self) -> Option<Vec<Sent>>;
    fn restart(&mut self) -> Vec<Sent> { panic!("the role restarts here, and this has no restart") }
}

/// `Otherwise`: it did something else than the vector, which the protocol allows too.
enum Stop { Otherwise(String), NotAllowed(String) }
type Event = [String; 3];
type Row = (String, Event, String);
/// What it did, and in which handler; of a failure the last is not allowed.
type Done = Vec<(Event, &'static str)>;
type Followed = (&'static str, String, Done);

/// Follow all vectors of a file, each on what `make` gives. Panics with all that the protocol does not allow.
pub fn run<I: Implementation>(path: &str, make: impl Fn() -> I) {
    let path = env::var("STORMPROOF_VECTORS").unwrap_or_else(|_| path.to_string());
    let text = fs::read_to_string(&path).unwrap_or_else(|problem| panic!("{path}: {problem}"));
    let data = Json::value(&mut text.chars().peekable());
    let known = data.get("stormproof").text() == "vectors" && data.get("version").text() == "1";
    assert!(known, "{path} has no vectors of version 1");
    let row = |r: &Json| (part(r, 0), event(r, 1), part(r, 4));
    let rows: Vec<Row> = data.get("transitions").list().iter().map(row).collect();
    let mut failed = Vec::new();
    for vector in data.get("vectors").list() {
        let name = vector.get("name").text();
        let steps: Vec<Event> = vector.get("steps").list().iter().map(|s| event(s, 0)).collect();
        let (verdict, why, done) = follow(&rows, data.get("initial").text(), &steps, &make);
        println!("{name}: {verdict} {why}");
        report(name, verdict, &why, &done);
        if verdict == "failed" { failed.push(format!("{name}: {why}")); }
    }
    assert!(failed.is_empty(), "the protocol does not allow:\n{}", failed.join("\n"));
}
fn part(row: &Json, i: usize) -> String { row.list().get(i).map_or("", |found| found.text()).to_string() }
fn event(row: &Json, i: usize) -> Event { [part(row, i), part(row, i + 1), part(row, i + 2)] }
fn follow<I: Implementation>(rows: &[Row], start: &str, steps: &[Event], make: &impl Fn() -> I) -> Followed {
    let mut other = String::new();
    for _ in 0..ATTEMPTS {
        let mut implementation = make();
        let outbox = implementation.start().into_iter().map(|sent| (sent, "start")).collect();
        let mut driven = Driven { rows, implementation, states: BTreeSet::new(), outbox, done: vec![] };
        driven.states = driven.closed(BTreeSet::from([start.to_string()]));
        match steps.iter().try_for_each(|step| driven.step(step)) {
            Ok(()) => return ("passed", String::new(), driven.done),
            Err(Stop::NotAllowed(why)) => return ("failed", why, driven.done),
            Err(Stop::Otherwise(why)) => other = why,
        }
    }
    ("undecided", format!("in {ATTEMPTS} attempts {other}"), vec![])
}
fn report(name: &str, verdict: &str, why: &str, done: &Done) {
    if let Ok(path) = env::var("STORMPROOF_REPORT") {
        let mut file = fs::OpenOptions::new().create(true).append(true).open(path).expect("the report");
        let list = |parts: Vec<String>| format!("[{}]", parts.join(", "));
        let row = |(event, handler): &(Event, &str)| {
            format!(r#"{{"transition": {}, "handler": "{handler}"}}"#, list(event.iter().map(quoted).collect()))
        };
        let (steps, name, why) = (list(done.iter().map(row).collect()), quoted(name), quoted(why));
        let line = format!(r#""vector": {name}, "verdict": "{verdict}", "why": {why}, "steps": {steps}"#);
        writeln!(file, "{{{line}}}").expect("the report");
    }
}
fn quoted(text: impl AsRef<str>) -> String {
    format!("\"{}\"", text.as_ref().replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
fn shown(event: &Event) -> String {
    let [what, peer, message] = event;
    let to = if what == "send" { "to" } else { "from" };
    match (what.as_str(), peer.as_str()) {
        ("timeout", _) => "times out".to_string(),
        (_, "") => format!("{what}s"), _ => format!("{what}s {message} {to} {peer}"),
    }
}

struct Driven<'a, I> {
    rows: &'a [Row], implementation: I, states: BTreeSet<String>,
    outbox: VecDeque<(Sent, &'static str)>, done: Done,
}

impl<I: Implementation> Driven<'_, I> {
    /// With what is reached by actions that nobody sees.
    fn closed(&self, mut states: BTreeSet<String>) -> BTreeSet<String> {
        let mut open = Vec::from_iter(states.clone());
        while let Some(state) = open.pop() {
            let silent = self.rows.iter().filter(|r| r.0 == state && r.1[0] == "silent");
            open.extend(silent.map(|r| r.2.clone()).filter(|s| states.insert(s.clone())));
        }
        states
    }
    fn after(&self, event: &Event) -> BTreeSet<String> {
        let taken = self.rows.iter().filter(|r| r.1 == *event && self.states.contains(&r.0));
        self.closed(taken.map(|r| r.2.clone()).collect())
    }
    fn does(&self, state: &str, kinds: &[&str]) -> bool {
        self.rows.iter().any(|r| r.0 == state && kinds.contains(&r.1[0].as_str()))
    }
    fn go(&mut self, states: BTreeSet<String>, what: &str) -> Result<(), Stop> {
        if !states.is_empty() { self.states = states; return Ok(()); }
        let seen = self.rows.iter().filter(|r| r.1[0] != "silent" && self.states.contains(&r.0));
        let allowed = Vec::from_iter(seen.map(|r| shown(&r.1)).collect::<BTreeSet<_>>()).join(", ");
        let before = Vec::from_iter(self.done.iter().map(|step| shown(&step.0))).join(", ");
        Err(Stop::NotAllowed(format!("it {what}; the protocol allows: {allowed}. Before: {before}")))
    }
    /// What it sends next, or None if it waits; both must be allowed.
    fn next_sent(&mut self) -> Result<Option<Event>, Stop> {
        let Some(((peer, message), handler)) = self.outbox.pop_front() else {
            let waits = |s: &&String| self.does(s, &["receive", "timeout"]) || !self.does(s, &["send", "silent"]);
            let waiting = self.states.iter().filter(waits).cloned().collect();
            return self.go(waiting, "waits").map(|()| None);
        };
        let event = ["send".to_string(), peer, message];
        self.take(&event, handler).map(|()| Some(event))
    }
    /// It does this, which must be allowed.
    fn take(&mut self, event: &Event, handler: &'static str) -> Result<(), Stop> {
        let found = self.go(self.after(event), &shown(event));
        self.done.push((event.clone(), handler));
        found
    }
    fn step(&mut self, event: &Event) -> Result<(), Stop> {
        let otherwise = |why: String| Err(Stop::Otherwise(why));
        let what = event[0].as_str();
        if what == "send" || what == "wait" {
            let same = self.next_sent()?.as_ref() == (what == "send").then_some(event);
            return if same { Ok(()) } else { otherwise(format!("it never {} here", shown(event))) };
        }
        if what != "restart" || !self.outbox.is_empty() {
            if let Some(sent) = self.next_sent()? { return otherwise(format!("it {} before", shown(&sent))); }
        }
        if self.after(event).is_empty() { return otherwise(format!("it never came to where it {}", shown(event))); }
        let (handler, sent) = match what {
            "receive" => ("receive", self.implementation.receive(&event[1], &event[2])),
            "timeout" => ("expire", self.implementation.expire()),
            _ => ("restart", Some(self.implementation.restart())),
        };
        let Some(sent) = sent else {
            let doing = |s: &&String| self.rows.iter().any(|r| r.0 == **s && r.1 == *event);
            let refusing = self.states.iter().filter(|s| !doing(s)).cloned().collect();
            self.go(refusing, &format!("does not take: {}", shown(event)))?;
            return otherwise(format!("it never {} here", shown(event)));
        };
        self.outbox.extend(sent.into_iter().map(|sent| (sent, handler)));
        self.take(event, handler)
    }
}
/// Of a map, the keys and values in turn; of a number, its text.
enum Json { Text(String), List(Vec<Json>) }

impl Json {
    fn get(&self, key: &str) -> &Json {
        let found = self.list().chunks(2).find(|pair| matches!(&pair[0], Json::Text(k) if k == key));
        &found.unwrap_or_else(|| panic!("the vectors lack '{key}'"))[1]
    }
    fn list(&self) -> &[Json] { if let Json::List(found) = self { found } else { panic!("no list") } }
    fn text(&self) -> &str { if let Json::Text(found) = self { found } else { panic!("no text") } }
    fn next(chars: &mut Peekable<Chars>) -> char {
        while chars.next_if(|c| c.is_whitespace() || *c == ',' || *c == ':').is_some() {}
        *chars.peek().expect("the vectors end too early")
    }
    fn value(chars: &mut Peekable<Chars>) -> Json {
        let (first, mut found, mut number) = (Json::next(chars), vec![], String::new());
        if first == '"' { return Json::Text(Json::string(chars)); }
        if first == '[' || first == '{' {
            chars.next();
            while !"]}".contains(Json::next(chars)) { found.push(Json::value(chars)); }
            chars.next();
            return Json::List(found);
        }
        while let Some(c) = chars.next_if(|c| !c.is_whitespace() && !",]}".contains(*c)) { number.push(c); }
        Json::Text(number)
    }
    fn string(chars: &mut Peekable<Chars>) -> String {
        let (mut units, _quote) = (Vec::<u16>::new(), chars.next());
        loop {
            let mut c = chars.next().expect("the vectors end too early");
            if c == '"' { return String::from_utf16(&units).expect("the vectors have half a character"); }
            if c == '\\' {
                c = match chars.next().expect("the vectors end too early") {
                    'n' => '\n', 't' => '\t', 'r' => '\r', 'b' => '\u{8}', 'f' => '\u{c}', 'u' => {
                        let hex: String = (0..4).filter_map(|_| chars.next()).collect();
                        units.push(u16::from_str_radix(&hex, 16).expect("an escape")); continue }
                    other => other };
            }
            units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
        }
    }
}
