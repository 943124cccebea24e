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
type Followed = (&'static str, String);

/// Follow all vectors of a file, each on what `make` gives. Panics with all that the protocol does not allow.
pub fn run<I: Implementation>(path: &str, make: impl Fn() -> I) {
    let path = env::var("STORMPROOF_VECTORS").unwrap_or_else(|_| path.to_string());
    let text = fs::read_to_string(&path).unwrap_or_else(|problem| panic!("{path}: {problem}"));
    let data = Json::read(&text);
    let known = matches!(data.get("version"), Json::Number(n) if n == "1");
    assert!(known && data.get("stormproof").text() == "vectors", "{path} has no vectors of version 1");
    let row = |r: &Json| (part(r, 0), [part(r, 1), part(r, 2), part(r, 3)], part(r, 4));
    let rows: Vec<Row> = data.get("transitions").list().iter().map(row).collect();
    let mut failed = Vec::new();
    for vector in data.get("vectors").list() {
        let name = vector.get("name").text();
        let step = |s: &Json| [part(s, 0), part(s, 1), part(s, 2)];
        let steps: Vec<Event> = vector.get("steps").list().iter().map(step).collect();
        let (verdict, why) = follow(&rows, data.get("initial").text(), &steps, &make);
        println!("{name}: {verdict} {why}");
        report(name, verdict, &why);
        if verdict == "failed" { failed.push(format!("{name}: {why}")); }
    }
    assert!(failed.is_empty(), "the protocol does not allow:\n{}", failed.join("\n"));
}

fn part(row: &Json, i: usize) -> String { row.list().get(i).map_or("", |found| found.text()).to_string() }

fn follow<I: Implementation>(rows: &[Row], start: &str, steps: &[Event], make: &impl Fn() -> I) -> Followed {
    let mut other = String::new();
    for _ in 0..ATTEMPTS {
        let mut implementation = make();
        let outbox = VecDeque::from(implementation.start());
        let mut driven = Driven { rows, implementation, states: BTreeSet::new(), outbox, history: vec![] };
        driven.states = driven.closed(BTreeSet::from([start.to_string()]));
        match steps.iter().try_for_each(|step| driven.step(step)) {
            Ok(()) => return ("passed", String::new()),
            Err(Stop::NotAllowed(why)) => return ("failed", why),
            Err(Stop::Otherwise(why)) => other = why,
        }
    }
    ("undecided", format!("in {ATTEMPTS} attempts {other}"))
}

fn report(name: &str, verdict: &str, why: &str) {
    if let Ok(path) = env::var("STORMPROOF_REPORT") {
        let mut file = fs::OpenOptions::new().create(true).append(true).open(path).expect("the report");
        let [name, why] = [name, why].map(|text| text.replace('\\', "\\\\").replace('"', "\\\""));
        let line = format!(r#"{{"vector": "{name}", "verdict": "{verdict}", "why": "{why}"}}"#);
        writeln!(file, "{}", line.replace('\n', "\\n")).expect("the report");
    }
}

fn shown(event: &Event) -> String {
    let [what, peer, message] = event;
    let to = if what == "send" { "to" } else { "from" };
    match (what.as_str(), peer.as_str()) {
        ("timeout", _) => "times out".to_string(), (_, "") => format!("{what}s"),
        _ => format!("{what}s {message} {to} {peer}"),
    }
}

struct Driven<'a, I> {
    rows: &'a [Row], implementation: I, states: BTreeSet<String>, outbox: VecDeque<Sent>, history: Vec<String>,
}

impl<I: Implementation> Driven<'_, I> {
    /// With what is reached by actions that nobody sees.
    fn closed(&self, mut states: BTreeSet<String>) -> BTreeSet<String> {
        loop {
            let silent = self.rows.iter().filter(|r| r.1[0] == "silent" && states.contains(&r.0));
            let new: Vec<String> = silent.map(|r| r.2.clone()).filter(|s| !states.contains(s)).collect();
            if new.is_empty() { return states; }
            states.extend(new);
        }
    }
    fn after(&self, event: &Event) -> BTreeSet<String> {
        let taken = self.rows.iter().filter(|r| r.1 == *event && self.states.contains(&r.0));
        self.closed(taken.map(|r| r.2.clone()).collect())
    }
    fn does(&self, state: &str, kinds: &[&str]) -> bool {
        self.rows.iter().any(|r| r.0 == state && kinds.contains(&r.1[0].as_str()))
    }
    fn go(&mut self, states: BTreeSet<String>, what: &str) -> Result<(), Stop> {
        if states.is_empty() {
            let seen = self.rows.iter().filter(|r| r.1[0] != "silent" && self.states.contains(&r.0));
            let allowed = seen.map(|r| shown(&r.1)).collect::<BTreeSet<_>>();
            let (allowed, before) = (Vec::from_iter(allowed).join(", "), self.history.join(", "));
            return Err(Stop::NotAllowed(format!("it {what}; the protocol allows: {allowed}. Before: {before}")));
        }
        self.states = states;
        Ok(())
    }
    /// What it sends next, or None if it waits; both must be allowed.
    fn next_sent(&mut self) -> Result<Option<Event>, Stop> {
        let Some((peer, message)) = self.outbox.pop_front() else {
            let waits = |s: &&String| self.does(s, &["receive", "timeout"]) || !self.does(s, &["send", "silent"]);
            let waiting = self.states.iter().filter(waits).cloned().collect();
            return self.go(waiting, "waits").map(|()| None);
        };
        let event = ["send".to_string(), peer, message];
        self.go(self.after(&event), &shown(&event))?;
        self.history.push(shown(&event));
        Ok(Some(event))
    }
    fn step(&mut self, event: &Event) -> Result<(), Stop> {
        let otherwise = |why: String| Err(Stop::Otherwise(why));
        let what = event[0].as_str();
        if what == "send" || what == "wait" {
            let found = self.next_sent()?;
            if found.as_ref() == (what == "send").then_some(event) { return Ok(()); }
            return otherwise(format!("it never {} here", shown(event)));
        }
        if what != "restart" || !self.outbox.is_empty() {
            if let Some(sent) = self.next_sent()? { return otherwise(format!("it {} before", shown(&sent))); }
        }
        if self.after(event).is_empty() { return otherwise(format!("it never came to where it {}", shown(event))); }
        let sent = match what {
            "receive" => self.implementation.receive(&event[1], &event[2]),
            "timeout" => self.implementation.expire(),
            _ => Some(self.implementation.restart()),
        };
        let Some(sent) = sent else {
            let doing = |s: &&String| self.rows.iter().any(|r| r.0 == **s && r.1 == *event);
            let refusing = self.states.iter().filter(|s| !doing(s)).cloned().collect();
            self.go(refusing, &format!("does not take: {}", shown(event)))?;
            return otherwise(format!("it never {} here", shown(event)));
        };
        self.outbox.extend(sent);
        self.history.push(shown(event));
        self.go(self.after(event), &shown(event))
    }
}
enum Json { Text(String), Number(String), List(Vec<Json>), Map(Vec<(String, Json)>) }

impl Json {
    fn read(text: &str) -> Json { Json::value(&mut text.chars().peekable()) }
    fn get(&self, key: &str) -> &Json {
        let Json::Map(rows) = self else { panic!("the vectors are damaged at '{key}'") };
        &rows.iter().find(|r| r.0 == key).unwrap_or_else(|| panic!("the vectors lack '{key}'")).1
    }
    fn list(&self) -> &[Json] { if let Json::List(found) = self { found } else { panic!("no list") } }
    fn text(&self) -> &str { if let Json::Text(found) = self { found } else { panic!("no text") } }
    fn next(chars: &mut Peekable<Chars>) -> char {
        while chars.next_if(|c| c.is_whitespace() || *c == ',' || *c == ':').is_some() {}
        *chars.peek().expect("the vectors end too early")
    }
    fn value(chars: &mut Peekable<Chars>) -> Json {
        match Json::next(chars) {
            '"' => Json::Text(Json::string(chars)),
            '[' => { chars.next(); let mut found = vec![];
                while Json::next(chars) != ']' { found.push(Json::value(chars)); }
                chars.next(); Json::List(found) }
            '{' => { chars.next(); let mut found = vec![];
                while Json::next(chars) != '}' { found.push((Json::string(chars), Json::value(chars))); }
                chars.next(); Json::Map(found) }
            _ => { let mut found = String::new();
                while let Some(c) = chars.next_if(|c| !c.is_whitespace() && !",]}".contains(*c)) { found.push(c); }
                Json::Number(found) }
        }
    }
    fn string(chars: &mut Peekable<Chars>) -> String {
        Json::next(chars);
        let (mut units, quote) = (Vec::<u16>::new(), chars.next());
        assert!(quote == Some('"'), "the vectors are damaged");
        loop {
            let mut c = chars.next().expect("the vectors end too early");
            if c == '"' { return String::from_utf16(&units).expect("the vectors have half a character"); }
            if c == '\\' {
                c = match chars.next().expect("the vectors end too early") {
                    'n' => '\n', 't' => '\t', 'r' => '\r', 'b' => '\u{8}', 'f' => '\u{c}',
                    'u' => { let hex: String = (0..4).filter_map(|_| chars.next()).collect();
                        units.push(u16::from_str_radix(&hex, 16).expect("an escape")); continue }
                    other => other,
                };
            }
            units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
        }
    }
}
