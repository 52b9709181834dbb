//! What can be asked of it while it runs, one line each. Places have the numbers of their order in the plan.
//!
//! `cut PLACE...`: those places and the rest no longer reach each other. `heal`: all do. `stall PLACE SECONDS`: its line
//! carries nothing meanwhile. `move PLACE ADDRESS`: its outermost router gets another public address. `vanish PLACE
//! ipv4|ipv6 BYTES`: its packets of that version that are longer vanish from now on, in both directions. `counts`: what
//! each place sent and received; the highest rates since the last time.

use std::net::IpAddr;
use std::time::{Duration, Instant};

use crate::place::Place;
use crate::plan::next;
use crate::wan::Wan;

impl Wan {
    /// One line of JSON.
    pub fn command(&mut self, line: &str) -> String {
        self.run(line).unwrap_or_else(|error| format!("{{\"error\": {:?}}}", format!("{line}: {error}")))
    }

    fn run(&mut self, line: &str) -> Result<String, String> {
        let words: &mut dyn Iterator<Item = &str> = &mut line.split_whitespace();
        match next::<String>(words)?.as_str() {
            "cut" => {
                for number in words {
                    self.numbered(number)?.is_apart = true;
                }
            }
            "heal" => {
                for place in &mut self.places {
                    place.is_apart = false;
                }
            }
            "stall" => {
                let place = self.numbered(&next::<String>(words)?)?;
                let until = Instant::now() + Duration::from_secs(next(words)?);
                place.up.stall(until);
                place.down.stall(until);
            }
            "move" => {
                let number: usize = next(words)?;
                let address: IpAddr = next(words)?;
                let nat = self.numbered(&number.to_string())?.nats.last_mut().ok_or("it has no router")?;
                let before = nat.address;
                nat.renumber(address);
                self.routes.remove(&before);
                self.routes.insert(address, number);
            }
            "vanish" => {
                let place = self.numbered(&next::<String>(words)?)?;
                let is_ipv4 = match next::<String>(words)?.as_str() {
                    "ipv4" => true,
                    "ipv6" => false,
                    other => return Err(format!("no version of IP: {other}")),
                };
                place.vanishing = Some((is_ipv4, next(words)?));
            }
            "counts" => {
                let places: Vec<String> = self.places.iter_mut().map(report).collect();
                return Ok(format!("[{}]", places.join(", ")));
            }
            other => return Err(format!("unknown: {other}")),
        }
        Ok("{}".into())
    }

    fn numbered(&mut self, number: &str) -> Result<&mut Place, String> {
        let at: usize = number.parse().map_err(|_| format!("no number: {number}"))?;
        self.places.get_mut(at).ok_or_else(|| format!("no such place: {at}"))
    }
}

fn report(place: &mut Place) -> String {
    format!(
        "{{{}, \"dropped\": {}, \"longest_wait_ms\": {}}}",
        place.traffic.report(),
        place.up.dropped + place.down.dropped,
        place.up.longest_wait.max(place.down.longest_wait).as_millis()
    )
}
