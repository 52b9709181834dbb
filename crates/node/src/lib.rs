//! The Node-API face of the kernel and the beacon.
