//! All connections, bounded together and by network.

use crate::engine::Network;
use std::collections::HashMap;
use std::net::IpAddr;

/// Connections at once.
const CONNECTIONS: usize = 1_024;
/// Those of one network (a /24 or /48), unless it is this machine.
const OF_NETWORK: usize = 64;
/// Bytes of a /48.
const V6_BYTES: usize = 6;
/// From here on room is made early.
const CROWDED: usize = CONNECTIONS * 3 / 4;

/// A connection without progress ends after this time.
const IDLE_MS: u64 = 10_000;
/// The same while the table is crowded.
const CROWDED_IDLE_MS: u64 = 2_000;

/// Names a connection for as long as it lives, and none after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub index: usize,
    generation: u64,
}

/// What a table must know of its connections.
pub trait Held {
    /// The peer's address.
    fn client(&self) -> IpAddr;
    /// When it last got on.
    fn progress_ms(&self) -> u64;
    /// Whether queries of it wait.
    fn is_waiting(&self) -> bool;
    /// Whether nothing is owed to it.
    fn is_idle(&self) -> bool;
    /// Says goodbye, as far as that goes without waiting.
    fn end(&mut self);
}

struct Slot<C> {
    generation: u64,
    connection: Option<C>,
}

/// The connections.
pub struct Table<C> {
    slots: Vec<Slot<C>>,
    free: Vec<usize>,
    networks: HashMap<Network, usize>,
    generation: u64,
    count: usize,
}

impl<C: Held> Table<C> {
    /// Without connections.
    pub fn new() -> Self {
        Self { slots: Vec::new(), free: Vec::new(), networks: HashMap::new(), generation: 0, count: 0 }
    }

    /// How many connections there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// How long a connection may be idle now, in milliseconds.
    pub fn idle_ms(&self) -> u64 {
        if self.count < CROWDED { IDLE_MS } else { CROWDED_IDLE_MS }
    }

    /// Makes room for a client: the connection that was idle for longest gives way, within its own network if that has
    /// too many. False: none is idle.
    pub fn make_room(&mut self, client: IpAddr) -> bool {
        let network = Network::of(client, V6_BYTES);
        if !client.to_canonical().is_loopback() && self.networks.get(&network).is_some_and(|&count| count >= OF_NETWORK)
        {
            return self.end_oldest(|connection| Network::of(connection.client(), V6_BYTES) == network);
        }
        self.count < CONNECTIONS || self.end_oldest(|_| true)
    }

    fn end_oldest(&mut self, is_meant: impl Fn(&C) -> bool) -> bool {
        let oldest = self
            .slots
            .iter()
            .enumerate()
            .filter_map(|(index, slot)| Some((index, slot.connection.as_ref()?)))
            .filter(|(_, connection)| connection.is_idle() && is_meant(connection))
            .min_by_key(|(_, connection)| connection.progress_ms())
            .map(|(index, _)| index);
        oldest.map(|index| self.end(index)).is_some()
    }

    /// Where the next connection will be.
    pub fn next_place(&mut self) -> Place {
        self.generation += 1;
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot { generation: 0, connection: None });
            self.slots.len() - 1
        });
        self.slots[index].generation = self.generation;
        Place { index, generation: self.generation }
    }

    /// Puts a connection where [`Table::next_place`] said.
    pub fn put(&mut self, place: Place, connection: C) {
        *self.networks.entry(Network::of(connection.client(), V6_BYTES)).or_default() += 1;
        self.slots[place.index].connection = Some(connection);
        self.count += 1;
    }

    /// The place was not needed.
    pub fn give_back(&mut self, place: Place) {
        self.free.push(place.index);
    }

    /// The connection at an index.
    pub fn at(&mut self, index: usize) -> Option<(Place, &mut C)> {
        let slot = self.slots.get_mut(index)?;
        let place = Place { index, generation: slot.generation };
        slot.connection.as_mut().map(|connection| (place, connection))
    }

    /// That very connection, if it lives.
    pub fn get(&mut self, place: Place) -> Option<&mut C> {
        let slot = self.slots.get_mut(place.index).filter(|slot| slot.generation == place.generation)?;
        slot.connection.as_mut()
    }

    /// Ends a connection.
    pub fn end(&mut self, index: usize) {
        let Some(mut connection) = self.slots.get_mut(index).and_then(|slot| slot.connection.take()) else { return };
        connection.end();
        let network = Network::of(connection.client(), V6_BYTES);
        if let Some(count) = self.networks.get_mut(&network) {
            *count -= 1;
            if *count == 0 {
                self.networks.remove(&network);
            }
        }
        self.free.push(index);
        self.count -= 1;
    }

    /// Ends those without progress for too long.
    pub fn end_idle(&mut self, now_ms: u64) {
        let idle_ms = self.idle_ms();
        for index in 0..self.slots.len() {
            let Some(connection) = &self.slots[index].connection else { continue };
            // Who waits for us is not idle yet; nobody waits for as long as this.
            let limit_ms = if connection.is_waiting() { IDLE_MS } else { idle_ms };
            if now_ms.saturating_sub(connection.progress_ms()) >= limit_ms {
                self.end(index);
            }
        }
    }
}
