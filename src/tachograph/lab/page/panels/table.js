// The panels, in the order of the tabs. Each module exports mount(root, lab); see main.js for the lab.

export const PANELS = [
  { name: "graph", title: "Graph", load: () => import("./graph.js") },
  { name: "ask", title: "Ask", load: () => import("./ask.js") },
  { name: "run", title: "Run", load: () => import("./run.js") },
  { name: "what_if", title: "What if", load: () => import("./what_if.js") },
  { name: "journal", title: "Journal", load: () => import("./journal.js") },
  { name: "learn", title: "Learn", load: () => import("./learn.js") },
];
