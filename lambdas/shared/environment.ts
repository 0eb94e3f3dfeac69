/** The environment variables of a function. Only entry files call this. */

/** Throws at start-up, before any request, when one is not set. */
export function readEnvironment<Name extends string>(...names: Name[]): Record<Name, string> {
  const values = names.map((name) => {
    const value = process.env[name];
    if (value === undefined) throw new Error(`The environment variable ${name} is not set`);
    return [name, value] as const;
  });
  return Object.fromEntries(values) as Record<Name, string>;
}
