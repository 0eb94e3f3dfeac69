/** The columns of the list, as many as there is room for. */
import { type FigureName, figureTitles, isFigureName } from '#dashboard/filters/figures.ts';

export type ColumnName =
  | FigureName
  | 'time'
  | 'model'
  | 'status'
  | 'input'
  | 'output'
  | 'route'
  | 'user'
  | 'key';

interface Column {
  title: string;
  /** Below it, the column is left out rather than cut. The time is as wide as its texts. */
  minRem: number;
  /** The share of the space that is left. */
  grow?: number;
}

/** In the order of the table. */
export const columns: Record<ColumnName, Column> = {
  time: { title: 'Time', minRem: 0 },
  model: { title: 'Model', minRem: 11, grow: 2.35 },
  status: { title: 'Status', minRem: 3 },
  input: { title: 'Input', minRem: 4.375 },
  output: { title: 'Output', minRem: 3.75 },
  total_tokens: { title: figureTitles.total_tokens, minRem: 4.5 },
  cost_usd: { title: figureTitles.cost_usd, minRem: 6.5 },
  time_to_first_token_ms: { title: figureTitles.time_to_first_token_ms, minRem: 5.5 },
  latency_ms: { title: figureTitles.latency_ms, minRem: 5 },
  retries: { title: figureTitles.retries, minRem: 4 },
  route: { title: 'Route', minRem: 6, grow: 1 },
  user: { title: 'User', minRem: 6.5, grow: 1 },
  key: { title: 'Key', minRem: 6, grow: 1.05 },
};

/** The first is the least important. Those that are missing here are always shown. */
const leftOut: readonly ColumnName[] = [
  'route',
  'key',
  'time_to_first_token_ms',
  'retries',
  'user',
  'total_tokens',
];

/** Shown only where a list is about them, the tokens also where there is no room for both of their parts, the route if there is one. */
const onDemand: readonly ColumnName[] = ['total_tokens', 'retries', 'route'];

/** The parts of the tokens. */
const tokenParts: readonly ColumnName[] = ['input', 'output'];

/** The least width of the model where the user is below it, in rows that are higher. */
const stackedModelRem = 8.75;

const gapRem = 0.75;
const paddingRem = 1.25;

export interface ListRoom {
  widthRem: number;
  /** The width of the longest time. */
  timeRem: number;
  /** The figures that the list is about: it is sorted or filtered by them. */
  figures: readonly FigureName[];
  /** The figure that the list is sorted by, which is never left out. */
  sort?: FigureName;
  /** Whether a request of the list has named a route. */
  hasRoutes?: boolean;
}

/** Returns the columns that fit, in the order of the table; `null` if there is only room for a list without columns. */
export function columnsFor({
  widthRem,
  timeRem,
  figures,
  sort,
  hasRoutes = false,
}: ListRoom): ColumnName[] | null {
  const all = Object.keys(columns) as ColumnName[];
  const isDemanded = (name: ColumnName) => (isFigureName(name) ? figures.includes(name) : hasRoutes);
  let shown = all.filter((name) => !onDemand.includes(name) || isDemanded(name));
  if (neededRem(shown, timeRem) > widthRem)
    shown = all.filter(
      (name) => name === 'total_tokens' || (shown.includes(name) && !tokenParts.includes(name)),
    );
  for (const name of leftOut) {
    if (neededRem(shown, timeRem) <= widthRem) break;
    if (name !== sort) shown = shown.filter((each) => each !== name);
  }
  return neededRem(shown, timeRem) <= widthRem ? shown : null;
}

function neededRem(names: readonly ColumnName[], timeRem: number): number {
  const columnsRem = names.reduce((sum, name) => sum + minRemOf(name, names, timeRem), 0);
  return columnsRem + gapRem * (names.length - 1) + 2 * paddingRem;
}

function minRemOf(name: ColumnName, names: readonly ColumnName[], timeRem: number): number {
  if (name === 'time') return timeRem;
  return name === 'model' && isStacked(names) ? stackedModelRem : columns[name].minRem;
}

/** Whether rows have the user below the model, since there is no room for a column. */
export function isStacked(names: readonly ColumnName[]): boolean {
  return !names.includes('user');
}

/** The tracks of a CSS grid: each row is a grid of its own, so they depend on no text. */
export function gridTemplate(names: readonly ColumnName[], timeRem: number): string {
  return names
    .map((name) => {
      const { grow } = columns[name];
      const minWidth = `${minRemOf(name, names, timeRem)}rem`;
      return grow === undefined ? minWidth : `minmax(${minWidth}, ${grow}fr)`;
    })
    .join(' ');
}

/** Figures are aligned at their ends. */
export function isFigureColumn(name: ColumnName): boolean {
  return isFigureName(name) || name === 'input' || name === 'output';
}
