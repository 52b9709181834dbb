# A machine of its own, in namespaces: /etc, /run, and a network with one address beside loopback. Then the arguments.
set -e
ip link set lo up
ip link add wire type veth peer name other
ip addr add 192.0.2.222/24 dev wire
ip link set wire up && ip link set other up && ip route add default dev wire
mkdir etc
cp -a /etc/. etc 2>/dev/null || true
mount --bind etc /etc && mount -t tmpfs own /run
# As root of a user namespace systemd-resolved has no other user to become.
for file in passwd group; do sed -i /^systemd-resolve:/d "/etc/$file"; done
echo systemd-resolve:x:0:0::/:/bin/false >> /etc/passwd
echo systemd-resolve:x:0: >> /etc/group
rm -rf /etc/systemd/resolved.conf* /etc/dnssec-trust-anchors.d
mkdir -p /etc/systemd/resolved.conf.d /etc/dnssec-trust-anchors.d /run/systemd/netif/links
printf '[Resolve]\nDNSSEC=yes\nLLMNR=no\nMulticastDNS=no\n' > /etc/systemd/resolved.conf.d/own.conf
# The world of these tests has no signatures. The link brings its resolver, as networkd would say.
echo com > /etc/dnssec-trust-anchors.d/com.negative
link=$(ip -o link show wire | cut -d: -f1)
printf 'ADMIN_STATE=configured\nOPER_STATE=routable\nDNS=192.0.2.222\n' > "/run/systemd/netif/links/$link"
exec "$@"
