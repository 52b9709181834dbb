//! What the server says, rule by rule.

mod fixture;
mod seen;
mod verify;

mod aliases;
mod apex;
mod cookies;
mod delegations;
mod denial;
mod keys;
mod queries;
mod records;
mod replies;
mod time;
mod trust;
mod zones;
