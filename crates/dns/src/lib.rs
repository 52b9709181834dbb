//! Authoritative DNS for one zone, the registry's top level, as pure functions: no I/O, no clock. [`engine`] remembers
//! and lets queries wait; [`server`] alone has sockets, threads and a clock.
//!
//! A server calls [`parse`] on a packet, [`answer`] on the query and what it knows, and [`finish`] to make the reply.
//! An [`Answer`] may be kept and finished again for later queries with the same name, type and DO bit. [`refuse`] makes
//! a reply without records.
//!
//! Names are in wire form, lower-case and with the closing root label, unless a function says otherwise.

pub mod answer;
pub mod apex;
mod chain;
pub mod codes;
pub mod cookie;
mod denial;
pub mod engine;
pub mod finish;
mod header;
pub mod key;
pub mod knowledge;
mod message;
mod name;
pub mod query;
mod rrset;
pub mod server;
pub mod zone;

pub use answer::answer;
pub use apex::{Apex, ApexError, Position};
pub use finish::{Envelope, finish, refuse};
pub use key::{KeyError, SigningKey};
pub use knowledge::{Knowledge, Known, Look, Trust};
pub use message::{Answer, ExtendedError, Rest};
pub use name::from_text as name_from_text;
pub use query::{Cookie, Edns, Query, Rejected, parse};
pub use zone::{Zone, ZoneError};
