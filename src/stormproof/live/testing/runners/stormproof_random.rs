//! Drives an implementation of a role for `stormproof testgen --serve`, which plays the other roles and the
//! faults at random, shrinks a run that fails and draws it. No dependencies beside `stormproof_vectors`, the
//! module of the same crate that says what an implementation is.
//! In a test: `stormproof_random::play(&["stormproof", "testgen", "ask.storm", "--role", "Client", "--serve"],
//! || Client::new());`

use crate::stormproof_vectors::{Implementation, Sent};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

/// What was found, if nothing is wrong; panics with the chart of the shortest run that fails.
pub fn play<I: Implementation>(command: &[&str], make: impl Fn() -> I) -> String {
    let mut starting = Command::new(command[0]);
    starting.args(&command[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut server = starting.spawn().unwrap_or_else(|problem| panic!("{}: {problem}", command[0]));
    let mut to = server.stdin.take().expect("a pipe");
    let mut implementation = None;
    for line in BufReader::new(server.stdout.take().expect("a pipe")).lines() {
        let words: Vec<String> = line.expect("a line").split('\t').map(plain).collect();
        let given: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        match words[0].as_str() {
            "passed" | "undecided" => return words[1].clone(),
            "failed" => panic!("{}", words[1]),
            "start" => implementation = Some(make()),
            _ => {}
        }
        let role = implementation.as_mut().expect("it was started");
        let answer: Vec<String> = answer(role, &words[0], &given).iter().map(|word| escaped(word)).collect();
        writeln!(to, "{}", answer.join("\t")).expect("the server reads");
    }
    let code = server.wait().expect("it was started").code();
    panic!("{} ended with code {code:?}; standard error says why", command.join(" "));
}

fn answer<I: Implementation>(role: &mut I, call: &str, given: &[&str]) -> Vec<String> {
    let sent: Option<Vec<Sent>> = match call {
        "start" => Some(role.start()),
        "receive" => role.receive(given[0], given[1]),
        "expire" => role.expire(),
        _ => Some(role.restart()),
    };
    let Some(sent) = sent else { return vec!["refused".to_string()] };
    let mut words = vec!["sent".to_string()];
    words.extend(sent.into_iter().flat_map(|(peer, message)| [peer, message]));
    words
}

fn escaped(word: &str) -> String {
    word.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n")
}

fn plain(word: &str) -> String {
    let (mut found, mut letters) = (String::new(), word.chars());
    while let Some(letter) = letters.next() {
        found.push(match letter {
            '\\' => match letters.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                other => other.unwrap_or('\\'),
            },
            _ => letter,
        });
    }
    found
}
