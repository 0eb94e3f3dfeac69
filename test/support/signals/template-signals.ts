/** The CloudWatch dashboard and the saved queries of a cloud assembly. */
import type { JsonObject } from '#lambdas/platform/json/json.ts';
import { createResolver } from '#local/template/local-stack.ts';
import { createReferences } from '#local/template/references.ts';
import {
  hostedFunctions,
  nameWithoutHash,
  readTemplate,
  referencedId,
  resourcesOfType,
} from '#local/template/template.ts';
import { asArray, asObject, asString } from '#local/untyped-json.ts';
import { type DashboardMetric, readDashboardMetrics } from './dashboard-metrics.ts';
import { createLineFilter, readQueryFields } from './query-fields.ts';

interface SavedQuery {
  name: string;
  fields: string[];
  /** Whether it selects the line of a function. */
  selects(line: JsonObject): boolean;
  /** The display names of the functions whose logs it reads. */
  functionNames: string[];
  readsAccessLog: boolean;
}

export interface TemplateSignals {
  dashboardMetrics: DashboardMetric[];
  savedQueries: SavedQuery[];
  /** The fields of a line of the REST API's access log. */
  accessLogFields: string[];
}

export function readTemplateSignals(assemblyDirectory: string): TemplateSignals {
  const template = readTemplate(assemblyDirectory);
  const origin = 'http://127.0.0.1';
  const sources = {
    template,
    region: 'us-east-1',
    tables: new Map(),
    awsOrigin: origin,
    restApiOrigin: origin,
    functionUrlOrigin: origin,
    dashboardOrigin: origin,
    signInOrigin: origin,
  };
  const resolve = createResolver(sources, createReferences(sources));
  const functionNames = new Map(
    hostedFunctions(template).map(({ logicalId, properties }) => [
      referencedId(asObject(properties.LoggingConfig, logicalId).LogGroup),
      nameWithoutHash(logicalId),
    ]),
  );
  return {
    dashboardMetrics: resourcesOfType(template, 'AWS::CloudWatch::Dashboard').flatMap(
      ({ logicalId, properties }) =>
        readDashboardMetrics(asString(resolve(properties.DashboardBody), logicalId)),
    ),
    savedQueries: resourcesOfType(template, 'AWS::Logs::QueryDefinition').map(({ logicalId, properties }) => {
      const logGroups = asArray(properties.LogGroupNames, logicalId).map(referencedId);
      const query = asString(properties.QueryString, logicalId);
      return {
        name: asString(properties.Name, logicalId),
        fields: readQueryFields(query),
        selects: createLineFilter(query),
        functionNames: logGroups.flatMap((logGroup) => functionNames.get(logGroup) ?? []),
        readsAccessLog: logGroups.some((logGroup) => !functionNames.has(logGroup)),
      };
    }),
    accessLogFields: resourcesOfType(template, 'AWS::ApiGateway::Stage').flatMap(
      ({ logicalId, properties }) => {
        const { Format } = asObject(properties.AccessLogSetting, logicalId);
        return Object.keys(JSON.parse(asString(Format, logicalId)));
      },
    ),
  };
}
