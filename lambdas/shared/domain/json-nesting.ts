/** How deep JSON is nested: writing it again is recursive, while reading it is not. */

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
