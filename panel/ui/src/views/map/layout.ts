/** Where the modules of the map lie. Deterministic: the same modules give the same picture. */
import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type SimulationNodeDatum } from 'd3-force';
import type { Modules } from '../../lib/api';

export type Node = SimulationNodeDatum & { path: string; label: string; radius: number; x: number; y: number };
export type Edge = { from: Node; to: Node; kind: 'imports' | 'cochange'; weight: number };
export type Layout = { nodes: Node[]; edges: Edge[] };
type Size = { width: number; height: number };

const STEPS = 300;
const SETTLE = 80;
/** Pixels of a letter of a label, on average, and of the line below a circle. */
const LETTER = 6.4;
const LINE = 20;
const SMALLEST = 5;
const LARGEST = 30;
/** Few modules are not drawn to the corners. */
const FARTHEST = 170;

/** Returns the last part of each path, or as many parts as make it the only one of its name. */
export function labelsOf(paths: readonly string[]): string[] {
  return paths.map((path) => {
    const parts = path.split('/');
    for (let count = 1; count < parts.length; count += 1) {
      const label = parts.slice(-count).join('/');
      if (!paths.some((other) => other !== path && (other === label || other.endsWith(`/${label}`)))) return label;
    }
    return path || '/';
  });
}

/** Returns a layout that fills a picture of this size, in pixels. */
export function layOut({ modules, imports, cochange }: Modules, { width, height }: Size): Layout {
  const room = Math.min(FARTHEST, Math.sqrt((width * height) / Math.max(1, modules.length)));
  const most = Math.max(1, ...modules.map(({ files }) => files));
  const largest = Math.min(LARGEST, room / 4.5);
  const labels = labelsOf(modules.map(({ path }) => path));
  const nodes: Node[] = modules.map(({ path, files }, index) => ({
    path,
    label: labels[index]!,
    radius: SMALLEST + (largest - SMALLEST) * Math.sqrt(files / most),
    // A spiral as the start, since the simulation's own would have all of them in one place.
    x: (room / 3) * Math.sqrt(index) * Math.cos(2.4 * index),
    y: (room / 3) * Math.sqrt(index) * Math.sin(2.4 * index),
  }));
  const byPath = new Map(nodes.map((node) => [node.path, node]));
  const edge = (a: string, b: string, kind: Edge['kind'], weight: number): Edge[] => {
    const [from, to] = [byPath.get(a), byPath.get(b)];
    return from && to && from !== to ? [{ from, to, kind, weight }] : [];
  };
  const edges = [
    ...imports.flatMap(({ from, to, count }) => edge(from, to, 'imports', count)),
    ...cochange.flatMap(({ a, b, count }) => edge(a, b, 'cochange', count)),
  ];
  forceSimulation(nodes)
    .force('links', forceLink(edges.map(({ from, to }) => ({ source: from, target: to }))).distance(room))
    .force('charge', forceManyBody().strength(-4 * room).distanceMax(4 * room))
    .force('collide', forceCollide<Node>((node) => node.radius + LINE))
    .force('x', forceX().strength(0.06))
    .force('y', forceY().strength(0.06))
    .stop()
    .tick(STEPS);
  fill(nodes, { width, height }, room);
  return { nodes, edges };
}

const halfLabel = (node: Node) => (node.label.length * LETTER) / 2;

/** Stretches the layout to the picture, and moves apart what has come too near. */
function fill(nodes: Node[], { width, height }: Size, room: number): void {
  const margin = Math.max(...nodes.map((node) => Math.max(node.radius, halfLabel(node)))) + 8;
  const axis = (values: number[], from: number, to: number) => {
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const scale = Math.min((to - from) / Math.max(1, most - least), (room * Math.sqrt(nodes.length)) / Math.max(1, most - least));
    const order = [...values].sort((a, b) => a - b);
    const wide = (most - least) * scale;
    // Half as the forces have it, half by rank: modules that stand alone leave the others little room otherwise.
    return (value: number) => (from + to) / 2 + ((value - (least + most) / 2) * scale + (order.indexOf(value) / Math.max(1, order.length - 1) - 0.5) * wide) / 2;
  };
  const x = axis(nodes.map((node) => node.x), margin, Math.max(margin, width - margin));
  const y = axis(nodes.map((node) => node.y), margin / 2, Math.max(margin / 2, height - margin / 2 - LINE));
  const goals = new Map(nodes.map((node) => [node, { x: x(node.x), y: y(node.y) }]));
  for (const [node, goal] of goals) Object.assign(node, goal, { vx: 0, vy: 0 });
  forceSimulation(nodes)
    .force('x', forceX<Node>((node) => goals.get(node)!.x).strength(0.08))
    .force('y', forceY<Node>((node) => goals.get(node)!.y).strength(0.08))
    .force('collide', forceCollide<Node>((node) => Math.max(node.radius + 12, 0.62 * halfLabel(node))).iterations(3))
    .stop()
    .tick(SETTLE);
  for (const node of nodes) {
    node.x = Math.max(halfLabel(node) + 4, Math.min(width - halfLabel(node) - 4, node.x));
    node.y = Math.max(node.radius + 4, Math.min(height - node.radius - LINE, node.y));
  }
}
