/** How deep JSON is nested: writing it again is recursive, while reading it is not. */
import { invalidRequest } from './gateway-error.ts';

/** Far from what a request needs, and from what the stack can bear. */
export const deepestNesting = 100;

/** Throws a `GatewayError` (400) for a request that no provider should have to read. */
export function refuseDeepNesting(body: unknown): void {
  if (!isNestedDeeperThan(deepestNesting, body)) return;
  throw invalidRequest('body', `The request body must not be nested deeper than ${deepestNesting} levels`);
}

/** Whether the value holds more than so many objects and lists inside each other. */
export function isNestedDeeperThan(levels: number, value: unknown): boolean {
  let containers: object[] = [];
  collect(value, containers);
  for (let level = 0; containers.length > 0; level++) {
    if (level === levels) return true;
    const inside: object[] = [];
    for (const container of containers) {
      const values: unknown[] = Array.isArray(container) ? container : Object.values(container);
      for (const inner of values) collect(inner, inside);
    }
    containers = inside;
  }
  return false;
}

function collect(value: unknown, containers: object[]): void {
  if (typeof value === 'object' && value !== null) containers.push(value);
}
