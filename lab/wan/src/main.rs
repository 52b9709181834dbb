//! A wide area network in user space. Each place is a network namespace with a TUN device, `wan`; this one process reads
//! what they send, and hands it over later, or never. The first argument is a file (plan.rs). It takes commands from its
//! standard input (commands.rs), and answers each with a line of JSON. Once that ends, it says what it did, and ends.

mod commands;
mod firewall;
mod idle;
mod line;
mod nat;
mod packet;
mod place;
mod plan;
mod pmp;
mod random;
mod too_big;
mod traffic;
mod tun;
mod wan;

use std::io::Read;
use std::os::fd::AsRawFd;

use packet::Packet;
use wan::Wan;

fn main() -> Result<(), String> {
    let file = std::env::args().nth(1).ok_or("usage: chronym-wan PLAN")?;
    let mut wan = plan::read(&std::fs::read_to_string(file).map_err(|error| error.to_string())?)?;
    println!("{{\"places\": {}}}", wan.places.len());
    run(&mut wan);
    println!("{}", wan.totals());
    Ok(())
}

fn run(wan: &mut Wan) {
    let mut buffer = vec![0; 65_536];
    let mut typed = String::new();
    let mut watched: Vec<libc::pollfd> =
        wan.places.iter().map(|place| place.device.as_raw_fd()).chain([0]).map(watch).collect();
    loop {
        let wait = wan.hand_over().map_or(-1, |wait| i32::try_from(wait.as_millis()).unwrap_or(i32::MAX).max(1));
        // SAFETY: `watched` has as many entries as are named, and lives through the call.
        unsafe { libc::poll(watched.as_mut_ptr(), watched.len() as libc::nfds_t, wait) };
        if watched.last().is_some_and(|input| input.revents != 0) {
            match std::io::stdin().read(&mut buffer) {
                Ok(length) if length > 0 => typed.push_str(&String::from_utf8_lossy(&buffer[..length])),
                _ => return,
            }
            while let Some(end) = typed.find('\n') {
                println!("{}", wan.command(&typed[..end]));
                typed.drain(..=end);
            }
        }
        for (from, watch) in watched.iter().enumerate().take(wan.places.len()) {
            if watch.revents == 0 {
                continue;
            }
            while let Ok(length) = wan.places[from].device.read(&mut buffer) {
                if let Some(packet) = Packet::read(&buffer[..length]) {
                    wan.send(from, packet);
                }
            }
        }
    }
}

fn watch(fd: i32) -> libc::pollfd {
    libc::pollfd { fd, events: libc::POLLIN, revents: 0 }
}
