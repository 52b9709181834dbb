//! What the server says, rule by rule.

mod check;
mod fixture;
mod mutation;
mod seen;
mod verify;

mod aliases;
mod apex;
mod cookies;
mod delegations;
mod denial;
mod hostile;
mod keys;
mod queries;
mod records;
mod replies;
mod time;
mod trust;
mod zones;
