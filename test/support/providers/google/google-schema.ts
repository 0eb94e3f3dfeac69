/** What Gemini demands of a schema in its subset of OpenAPI, beyond the names that it knows. */

export interface Schema {
  type?: string;
  enum?: string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
}

/** The first problem, behind the place where it is. */
export function schemaProblem(schema: Schema, place: string): string | null {
  const { type, properties = {}, required = [], items, anyOf = [] } = schema;
  if (type === undefined && anyOf.length === 0) return `${place}.type: must be specified`;
  const isObject = type === 'OBJECT';
  if (isObject && Object.keys(properties).length === 0) {
    return `${place}.properties: should be non-empty for OBJECT type`;
  }
  if (!isObject && schema.properties !== undefined)
    return `${place}.properties: only allowed for OBJECT type`;
  if (!isObject && required.length > 0) return `${place}.required: only allowed for OBJECT type`;
  const undefinedAt = required.findIndex((name) => !(name in properties));
  if (undefinedAt !== -1) return `${place}.required[${undefinedAt}]: property is not defined`;
  if (schema.enum !== undefined && type !== 'STRING') return `${place}.enum: only allowed for STRING type`;
  if (type === 'ARRAY' && items === undefined) return `${place}.items: missing field.`;
  const inner: [string, Schema][] = [
    ...Object.entries(properties).map(([name, property]): [string, Schema] => [
      `${place}.properties[${name}]`,
      property,
    ]),
    ...anyOf.map((option, index): [string, Schema] => [`${place}.any_of[${index}]`, option]),
    ...(items === undefined ? [] : [[`${place}.items`, items] satisfies [string, Schema]]),
  ];
  for (const [innerPlace, innerSchema] of inner) {
    const problem = schemaProblem(innerSchema, innerPlace);
    if (problem !== null) return problem;
  }
  return null;
}
