//! Starting and ending.

use crate::fixture::packet;
use crate::running::{eventually, listen, options, start};
use chronym_dns::engine::Transport;
use chronym_dns::server::{Server, ServerOptions, StartError};
use std::io::Read;
use std::net::{TcpListener, UdpSocket};

fn failure(options: ServerOptions) -> String {
    match Server::start(options, Box::new(|_, _| true)) {
        Err(StartError::Listen(error)) => error.to_string(),
        Err(error) => panic!("another error: {error}"),
        Ok(_) => panic!("it starts"),
    }
}

#[test]
fn an_address_that_cannot_be_had_is_named_with_cause_and_cure() {
    let taken = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let message = failure(ServerOptions { listen: vec![listen(Transport::Udp, &address.to_string())], ..options() });
    assert!(message.contains(&address.to_string()) && message.contains("choose another port"), "{message}");
    let foreign = failure(ServerOptions { listen: vec![listen(Transport::Tcp, "192.0.2.1:5353")], ..options() });
    assert!(foreign.contains("no such address"), "{foreign}");
}

#[test]
fn when_one_address_fails_none_stays_bound() {
    let free = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let listens = vec![listen(Transport::Udp, &free.to_string()), listen(Transport::Tcp, "192.0.2.1:5353")];
    failure(ServerOptions { listen: listens, ..options() });
    // A forwarder of another test may have the port for a moment.
    eventually("the first is free again", || UdpSocket::bind(free).is_ok());
}

#[test]
fn any_free_port_is_one_for_datagrams_and_streams_of_all_addresses() {
    let listens = ["127.0.0.1:0", "[::1]:0"]
        .iter()
        .flat_map(|address| [listen(Transport::Udp, address), listen(Transport::Tcp, address)])
        .collect();
    let running = start(ServerOptions { listen: listens, ..options() });
    let ports: Vec<_> = running.server.addresses().iter().map(|listen| listen.address.port()).collect();
    assert!(ports[0] > 0 && ports.iter().all(|port| *port == ports[0]), "{ports:?}");
}

#[test]
fn closing_ends_all_whatever_waits() {
    let running = start(options());
    let (udp, mut tcp) = (running.udp(), running.tcp());
    udp.send(&packet("slow.chronym", 1, None, false)).unwrap();
    eventually("a query waits", || running.server.stats().waiting == 1);
    eventually("a connection is open", || running.server.connections() == 1);
    let addresses = running.server.addresses().to_vec();
    // Joins all threads.
    running.server.close();
    running.server.close();
    assert_eq!((running.server.stats().waiting, tcp.read(&mut [0]).unwrap_or(0)), (0, 0));
    drop(tcp);
    // A forwarder or a client of another test may have the ports for a moment.
    eventually("its port is free for datagrams", || UdpSocket::bind(addresses[0].address).is_ok());
    eventually("its port is free for streams", || TcpListener::bind(addresses[1].address).is_ok());
}
