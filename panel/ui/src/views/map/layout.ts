/** Where the modules of the map lie. Deterministic: the same modules give the same picture. */
import { forceCenter, forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY, type SimulationNodeDatum } from 'd3-force';
import type { Modules } from '../../lib/api';

export type Node = SimulationNodeDatum & { path: string; radius: number; x: number; y: number };
export type Edge = { from: Node; to: Node; kind: 'imports' | 'cochange' };
export type Layout = { nodes: Node[]; edges: Edge[]; box: string };

const STEPS = 300;
const MARGIN = 56;
const SMALLEST = { width: 640, height: 520 };

/** Returns the layout; its box is as wide as its nodes and their labels need. */
export function layOut({ modules, imports, cochange }: Modules): Layout {
  const nodes: Node[] = modules.map(({ path, files }, index) => ({
    path,
    radius: 9 + Math.min(26, 2.6 * Math.sqrt(files)),
    // A spiral as the start, since the simulation's own would have all of them in one place.
    x: 30 * Math.sqrt(index) * Math.cos(2.4 * index),
    y: 30 * Math.sqrt(index) * Math.sin(2.4 * index),
  }));
  const byPath = new Map(nodes.map((node) => [node.path, node]));
  const edge = (a: string, b: string, kind: Edge['kind']): Edge[] => {
    const [from, to] = [byPath.get(a), byPath.get(b)];
    return from && to && from !== to ? [{ from, to, kind }] : [];
  };
  const edges = [
    ...imports.flatMap(({ from, to }) => edge(from, to, 'imports')),
    ...cochange.flatMap(({ a, b }) => edge(a, b, 'cochange')),
  ];
  const simulation = forceSimulation(nodes)
    .force('links', forceLink(edges.map(({ from, to }) => ({ source: from, target: to }))).distance(130).strength(0.35))
    .force('charge', forceManyBody().strength(-620))
    .force('collide', forceCollide<Node>((node) => node.radius + 26))
    .force('x', forceX().strength(0.045))
    .force('y', forceY().strength(0.11))
    .force('center', forceCenter(0, 0))
    .stop();
  simulation.tick(STEPS);
  return { nodes, edges, box: boxOf(nodes) };
}

function boxOf(nodes: readonly Node[]): string {
  const left = Math.min(0, ...nodes.map(({ x, radius }) => x - radius)) - MARGIN;
  const right = Math.max(0, ...nodes.map(({ x, radius }) => x + radius)) + MARGIN;
  const top = Math.min(0, ...nodes.map(({ y, radius }) => y - radius)) - MARGIN / 2;
  const bottom = Math.max(0, ...nodes.map(({ y, radius }) => y + radius)) + MARGIN;
  // Few modules keep the size they have among many, in the middle of the picture.
  const width = Math.max(SMALLEST.width, right - left);
  const height = Math.max(SMALLEST.height, bottom - top);
  return [(left + right - width) / 2, (top + bottom - height) / 2, width, height].map(Math.round).join(' ');
}
