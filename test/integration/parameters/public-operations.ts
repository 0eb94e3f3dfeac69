/** The operations of the public API and their parameters, as its description states them. */
import { apiDescription, resolvePointer } from '#test/support/openapi.ts';

export interface PublicOperation {
  name: string;
  method: string;
  path: string;
  /** The names of parameters by their place. */
  query: string[];
  headers: string[];
  inPath: string[];
  /** The fields of the body; empty without one. */
  fields: string[];
}

interface Parameter {
  name: string;
  in: 'query' | 'header' | 'path';
}

interface BodySchema {
  properties?: object;
}

interface Operation {
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { content: { 'application/json': { schema: { $ref: string } } } };
}

export const publicOperations: readonly PublicOperation[] = Object.entries(apiDescription.paths).flatMap(
  ([path, item]) =>
    ['get', 'post'].flatMap((method) => {
      const operation = item[method] as Operation | undefined;
      return operation === undefined ? [] : [publicOperation(method.toUpperCase(), path, operation)];
    }),
);

function publicOperation(
  method: string,
  path: string,
  { parameters = [], requestBody }: Operation,
): PublicOperation {
  const stated = parameters.map((each) =>
    '$ref' in each ? (resolvePointer(each.$ref.slice(1)) as Parameter) : each,
  );
  const namesIn = (place: Parameter['in']) =>
    stated.filter((each) => each.in === place).map(({ name }) => name);
  const schema = requestBody?.content['application/json'].schema.$ref.slice(1);
  const { properties = {} } = schema === undefined ? {} : (resolvePointer(schema) as BodySchema);
  return {
    name: `${method} ${path}`,
    method,
    path,
    query: namesIn('query'),
    headers: namesIn('header'),
    inPath: namesIn('path'),
    fields: Object.keys(properties),
  };
}
