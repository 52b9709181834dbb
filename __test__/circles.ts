/**
 * The circles of a graph: every largest set of two or more nodes that all reach each other, sorted (Tarjan's
 * algorithm). An edge to a node that the graph has no entry for is ignored.
 */
export function circles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const open: string[] = []
  const found: string[][] = []
  const visit = (node: string): void => {
    order.set(node, order.size)
    low.set(node, order.get(node)!)
    open.push(node)
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue
      if (!order.has(next)) visit(next)
      if (open.includes(next)) low.set(node, Math.min(low.get(node)!, low.get(next)!))
    }
    if (low.get(node) !== order.get(node)) return
    const circle = open.splice(open.indexOf(node))
    if (circle.length > 1) found.push(circle.sort())
  }
  for (const node of graph.keys()) if (!order.has(node)) visit(node)
  return found.sort()
}
