/** Reads the items of a response's output: the calls of tools, and their charges. */
import type { UnitCounts } from '#lambdas/inference/completion/facts.ts';
import { filterObjects, type JsonObject, objectOrEmpty, stringOrEmpty } from '#lambdas/platform/json/json.ts';
import type { PricingGap } from '#lambdas/pricing/price-context.ts';

interface OutputItems {
  /** `index` is that in the output, also for an item of a stream: an item may come in both. */
  add(item: JsonObject, index: number): void;
  /** Reads the number of searches that a response states. */
  readStated(response: JsonObject): void;
  unitCounts(): UnitCounts;
  gaps(): readonly PricingGap[];
  /** Whether the response ends with calls of tools that the caller runs. */
  endsWithCalls(): boolean;
  /** The ids of items and containers, by which later requests can refer to them. */
  ids(): { items: string[]; containers: string[] };
}

/** Far more than a response has; a provider must not be able to fill the memory. */
const maxItems = 10_000;

export function createOutputItems(): OutputItems {
  const items = new Map<number, JsonObject>();
  let statedSearches: number | null = null;
  const all = () => [...items.values()];
  const count = (isCounted: (item: JsonObject) => boolean) => all().filter(isCounted).length;
  return {
    add(item, index) {
      if (items.size < maxItems || items.has(index)) items.set(index, item);
    },
    readStated({ tool_usage: toolUsage, usage }) {
      const ofOpenAi = objectOrEmpty(objectOrEmpty(toolUsage).web_search).num_requests;
      const ofXai = objectOrEmpty(objectOrEmpty(usage).server_side_tool_usage_details).web_search_calls;
      statedSearches = [ofOpenAi, ofXai].find(isCount) ?? null;
    },
    unitCounts() {
      const webSearches = statedSearches ?? count(isWebSearch);
      const fileSearches = count(({ type }) => type === 'file_search_call');
      return { ...(webSearches > 0 && { webSearches }), ...(fileSearches > 0 && { fileSearches }) };
    },
    gaps: () => [...new Set(all().flatMap((item) => gapOf(item) ?? []))],
    // Before the text of a response, xAI lists the custom tools that it has run itself.
    endsWithCalls() {
      const [last] = [...items].toSorted(([left], [right]) => right - left);
      return last !== undefined && isCall(last[1]);
    },
    ids: () => ({
      items: all().flatMap(({ id }) => (typeof id === 'string' ? [id] : [])),
      containers: [...new Set(all().flatMap(containersOf))],
    }),
  };
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= maxItems;
}

/**
 * Opening a page, and searching in one, are free of charge: https://developers.openai.com/api/docs/pricing#built-in-tools.
 * Servers that do not name the action only search.
 */
function isWebSearch({ type, action }: JsonObject): boolean {
  return type === 'web_search_call' && (objectOrEmpty(action).type ?? 'search') === 'search';
}

/**
 * Containers are charged by the session, which several responses share, and images by the tokens of a model that the response
 * does not name.
 */
function gapOf(item: JsonObject): PricingGap | null {
  if (item.type === 'image_generation_call') return 'image_generation';
  const isRun = item.type === 'code_interpreter_call' || (item.type === 'shell_call' && isInContainer(item));
  return isRun ? 'code_execution' : null;
}

function isInContainer({ environment }: JsonObject): boolean {
  return objectOrEmpty(environment).type === 'container_reference';
}

const callTypes: readonly string[] = [
  ...['function_call', 'custom_tool_call', 'computer_call', 'local_shell_call', 'shell_call'],
  ...['apply_patch_call', 'mcp_approval_request'],
];

/** True for a call of a tool that the caller runs. */
export function isCall(item: JsonObject): boolean {
  if (item.type === 'tool_search_call') return item.execution === 'client';
  return callTypes.includes(stringOrEmpty(item.type)) && !isInContainer(item);
}

/** The containers of a call, and of the files that a text cites. */
function containersOf(item: JsonObject): string[] {
  const annotations = filterObjects(item.content).flatMap((part) => filterObjects(part.annotations));
  const places = [item, objectOrEmpty(item.environment), ...annotations];
  return places.flatMap(({ container_id: id }) => (typeof id === 'string' ? [id] : []));
}
