// Gets a page as programs of Go do: with the proxy and the authorities of the environment.
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
)

func main() {
	response, err := http.Get(os.Args[1])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	page, err := io.ReadAll(response.Body)
	fmt.Println(string(page), err)
}
