/** The header that names what was left out of a request. Some of the names are the caller's own, of any characters. */

const mostNames = 40;
const longestName = 64;

export function ignoredParametersHeader(names: readonly string[]): string {
  const shown = names.slice(0, mostNames).map(legal);
  return (names.length > mostNames ? [...shown, '...'] : shown).join(', ');
}

/** As it is, if it is a usual name. Commas part names, and what is not of ASCII is no header. */
function legal(name: string): string {
  return encodeURIComponent(name.toWellFormed()).slice(0, longestName);
}
