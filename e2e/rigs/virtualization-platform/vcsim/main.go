// Serves govmomi's simulator of a management server, or of a single host, on loopback. Debian packages the simulator as a library only.
package main

import (
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"

	"github.com/vmware/govmomi/simulator"
	_ "github.com/vmware/govmomi/vapi/simulator"
)

func main() {
	single := flag.Bool("host", false, "a single host instead of a management server")
	machines := flag.Int("machines", 1, "virtual machines in each resource pool")
	hosts := flag.Int("hosts", 3, "hosts in the cluster")
	flag.Parse()

	model := simulator.VPX()
	if *single {
		model = simulator.ESX()
	}
	model.Machine = *machines
	model.ClusterHost = *hosts
	if err := model.Create(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer model.Remove()
	model.Service.Listen = &url.URL{Host: "127.0.0.1:0", User: url.UserPassword("migration@vsphere.local", "lab-password")}
	model.Service.RegisterEndpoints = true
	server := model.Service.NewServer()
	defer server.Close()
	fmt.Println(server.URL.Host)

	// Whoever started it holds its standard input open for as long as it is needed.
	_, _ = io.Copy(io.Discard, os.Stdin)
}
