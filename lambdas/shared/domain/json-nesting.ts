/** How deep JSON is nested: writing it again is recursive, while reading it is not. */
import { invalidRequest } from './gateway-error.ts';

/** Far from what a request needs, and from what the stack can bear. */
const deepestNesting = 500;

/** Throws a `GatewayError` (400) for a request that could not be written again. */
export function refuseDeepNesting(body: unknown): void {
  if (!isNestedDeeperThan(deepestNesting, body)) return;
  throw invalidRequest('body', `The request body is nested deeper than ${deepestNesting} levels`);
}

/** Whether the value holds more than so many objects and lists inside each other. */
export function isNestedDeeperThan(levels: number, value: unknown): boolean {
  let containers = [value].filter(isContainer);
  for (let level = 0; containers.length > 0; level++) {
    if (level === levels) return true;
    containers = containers.flatMap((container) => Object.values(container).filter(isContainer));
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
