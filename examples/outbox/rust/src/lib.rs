//! An outbox relay, and broken ones.

/// A peer, and a message to it.
pub type Sent = (String, String);

/// What is wrong with a relay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Defect {
    #[default]
    None,
    /// Takes the acknowledgement of any event for that of its own.
    ForgetsIds,
    /// Marks an event before it is acknowledged.
    AcknowledgesFirst,
    /// Never publishes an event again.
    NoRetry,
    /// Publishes an event again under another number, so that the consumer does not recognise it.
    RetriesWithNewId,
}

impl Defect {
    pub fn named(name: &str) -> Defect {
        match name {
            "ForgetsIds" => Defect::ForgetsIds,
            "AcknowledgesFirst" => Defect::AcknowledgesFirst,
            "NoRetry" => Defect::NoRetry,
            "RetriesWithNewId" => Defect::RetriesWithNewId,
            _ => Defect::None,
        }
    }
}

/// Publishes the events of an outbox, each until the consumer acknowledges it.
#[derive(Default)]
pub struct Relay {
    defect: Defect,
    /// The event that was published last and is not acknowledged.
    waiting: Option<u32>,
    polling: bool,
}

impl Relay {
    pub fn new(defect: Defect) -> Relay {
        Relay { defect, ..Relay::default() }
    }

    /// Nothing is on a disk: the outbox says what is still to be sent.
    pub fn restart(&mut self) -> Vec<Sent> {
        *self = Relay::new(self.defect);
        vec![]
    }

    pub fn receive(&mut self, message: &str) -> Vec<Sent> {
        let (name, rest) = message.split_once('(').unwrap_or((message, ""));
        let id = rest.trim_end_matches(')').parse().unwrap_or(0);
        match name {
            "ack" => self.acknowledged(id),
            _ if !self.polling => vec![], // a late answer
            "event" => self.found(id),
            _ => {
                self.polling = false;
                vec![]
            }
        }
    }

    /// None: no timer runs.
    pub fn expire(&mut self) -> Option<Vec<Sent>> {
        match self.waiting {
            Some(id) => Some(self.again(id)),
            None if self.polling => None,
            None => {
                self.polling = true;
                Some(vec![to_database("poll")])
            }
        }
    }

    fn found(&mut self, id: u32) -> Vec<Sent> {
        self.polling = false;
        self.waiting = Some(id);
        let marked = (self.defect == Defect::AcknowledgesFirst).then(|| to_database(&format!("sent({id})")));
        marked.into_iter().chain([publish(id)]).collect()
    }

    fn again(&mut self, id: u32) -> Vec<Sent> {
        match self.defect {
            Defect::NoRetry => vec![],
            Defect::RetriesWithNewId => {
                self.waiting = Some(id + 1);
                vec![publish(id + 1)]
            }
            _ => vec![publish(id)],
        }
    }

    fn acknowledged(&mut self, id: u32) -> Vec<Sent> {
        match self.waiting {
            Some(own) if own == id || self.defect == Defect::ForgetsIds => {
                self.waiting = None;
                vec![to_database(&format!("sent({own})"))]
            }
            _ => vec![],
        }
    }
}

fn publish(id: u32) -> Sent {
    ("Consumer".to_string(), format!("publish({id})"))
}

fn to_database(message: &str) -> Sent {
    ("Database".to_string(), message.to_string())
}
