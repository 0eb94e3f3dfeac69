/** Checks the properties of each resource against CloudFormation's property database, at any depth. */
import { isObject, type JsonObject } from '#local/untyped-json.ts';
import type { PropertyType, ResourceProperties, Specification } from './specification.ts';
import { type Finding, isIntrinsic, type Template } from './template.ts';

/** Custom resources, whose functions alone define their properties. */
const typesWithoutSpecification = /^Custom::/;

/** Values that are accepted although the database excludes them, by resource type and path, with the reason. */
const acceptedValues: Record<string, string> = {
  'AWS::Cognito::UserPoolIdentityProvider ProviderDetails.IDPSignout':
    'CDK sets a boolean: https://github.com/aws-cloudformation/cloudformation-coverage-roadmap/issues/1963',
};

export function checkProperties(template: Template, specification: Specification): Finding[] {
  return Object.entries(template.Resources).flatMap(([logicalId, { Type, Properties = {} }]) => {
    if (typesWithoutSpecification.test(Type)) return [];
    const type = specification.findType(Type);
    if (type === undefined) return [`${logicalId}.Type: ${Type} is not a resource type: correct it`];
    const path = `${logicalId}.Properties`;
    const readOnly = Object.keys(type.attributes).filter(
      (name) => type.properties[name] === undefined && Properties[name] !== undefined,
    );
    const settable = Object.entries(Properties).filter(([name]) => !readOnly.includes(name));
    return [
      ...readOnly.map((name) => `${path}.${name}: is an attribute, which is read-only: remove it`),
      ...checkFields(Object.fromEntries(settable), type.properties, path, specification).filter(
        (finding) => !isAccepted(finding, Type, path),
      ),
    ];
  });
}

function isAccepted(finding: Finding, type: string, path: string): boolean {
  const [place = ''] = finding.slice(path.length + 1).split(':');
  return `${type} ${place}` in acceptedValues;
}

function checkFields(
  value: JsonObject,
  properties: ResourceProperties,
  path: string,
  specification: Specification,
): Finding[] {
  const missing = Object.entries(properties)
    .filter(([name, { required }]) => required === true && value[name] === undefined)
    .map(([name]) => `${path}.${name}: is required: set it`);
  const invalid = Object.entries(value).flatMap(([name, field]) => {
    const property = properties[name];
    if (property !== undefined) return checkValue(field, property.type, `${path}.${name}`, specification);
    const known = Object.keys(properties).sort().join(', ');
    return [`${path}.${name}: is not a property: use one of ${known}`];
  });
  return [...missing, ...invalid];
}

function checkValue(
  value: unknown,
  type: PropertyType,
  path: string,
  specification: Specification,
): Finding[] {
  if (isIntrinsic(value)) return [];
  const expected = (isValid: boolean, description: string) =>
    isValid ? [] : [`${path}: is ${JSON.stringify(value)}: set it to ${description}`];
  const allowed = (isValid: boolean, description: string, values: readonly unknown[] | undefined) => {
    if (!isValid || values === undefined) return expected(isValid, description);
    return expected(values.includes(value), `one of ${values.join(', ')}`);
  };
  switch (type.type) {
    case 'string':
      return allowed(typeof value === 'string', 'a string', type.allowedValues);
    case 'integer':
      return allowed(Number.isInteger(value), 'an integer', type.allowedValues);
    case 'number':
      return expected(typeof value === 'number', 'a number');
    case 'boolean':
      return expected(typeof value === 'boolean', 'true or false');
    case 'date-time':
      return expected(typeof value === 'string' && !Number.isNaN(Date.parse(value)), 'a date and time');
    case 'null':
      return expected(value === null, 'null');
    case 'json':
      return expected(typeof value === 'object' || typeof value === 'string', 'JSON');
    case 'tag': {
      const isTag = isObject(value) && Object.keys(value).sort().join() === 'Key,Value';
      return expected(isTag, 'an object with Key and Value');
    }
    case 'array':
      if (!Array.isArray(value)) return expected(false, 'an array');
      return value.flatMap((item, index) =>
        checkValue(item, type.element, `${path}[${index}]`, specification),
      );
    case 'map':
      if (!isObject(value)) return expected(false, 'an object');
      return Object.entries(value).flatMap(([name, item]) =>
        checkValue(item, type.element, `${path}.${name}`, specification),
      );
    case 'ref':
      if (!isObject(value)) return expected(false, 'an object');
      return checkFields(value, specification.propertiesOf(type), path, specification);
    case 'union':
      return fewest(
        specificTypes(type.types).map((alternative) => checkValue(value, alternative, path, specification)),
      );
    default:
      return type satisfies never;
  }
}

/** The database adds JSON, which may be anything, to some unions with a precise type, such as the keys of a table. */
function specificTypes(types: PropertyType[]): PropertyType[] {
  const isPrecise = types.some(({ type }) => type === 'array' || type === 'map' || type === 'ref');
  return isPrecise ? types.filter(({ type }) => type !== 'json') : types;
}

/** A value of a union needs to be valid for one type. The findings for the most similar type help most. */
function fewest(alternatives: Finding[][]): Finding[] {
  return alternatives.reduce((best, findings) => (findings.length < best.length ? findings : best));
}
