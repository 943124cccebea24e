// cargo test. RELAY=NoRetry and so on tests a broken one.
#[path = "support/stormproof_vectors.rs"]
mod stormproof_vectors;

use outbox_relay::{Defect, Relay};
use stormproof_vectors::{run, Implementation, Sent};

struct Tested(Relay);

impl Implementation for Tested {
    fn start(&mut self) -> Vec<Sent> {
        vec![]
    }
    fn receive(&mut self, _peer: &str, message: &str) -> Option<Vec<Sent>> {
        Some(self.0.receive(message))
    }
    fn expire(&mut self) -> Option<Vec<Sent>> {
        self.0.expire()
    }
    fn restart(&mut self) -> Vec<Sent> {
        self.0.restart()
    }
}

#[test]
fn vectors() {
    let defect = Defect::named(&std::env::var("RELAY").unwrap_or_default());
    run("tests/support/relay.vectors.json", || Tested(Relay::new(defect)));
}
