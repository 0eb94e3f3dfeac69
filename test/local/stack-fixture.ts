import { createResolver, type LocalStack } from '#local/template/local-stack.ts';
import { createReferences, type ReferenceSources } from '#local/template/references.ts';
import { parseTemplate } from '#local/template/template.ts';

export const fixtureOrigins = {
  awsOrigin: 'http://127.0.0.1:4000',
  restApiOrigin: 'http://127.0.0.1:3000',
  functionUrlOrigin: 'http://127.0.0.1:3001',
  dashboardOrigin: 'http://127.0.0.1:3002',
  signInOrigin: 'http://localhost:3003',
};

/** A stack without tables, whose other resources are not started. */
export function createStackFixture(
  resources: Record<string, unknown>,
  assetDirectories?: ReadonlyMap<string, string>,
): Pick<LocalStack, 'template' | 'resolve'> {
  const template = parseTemplate({
    stackName: 'Fixture',
    template: { Resources: resources },
    assetDirectories,
  });
  const sources: ReferenceSources = { ...fixtureOrigins, template, region: 'us-east-1', tables: new Map() };
  return { template, resolve: createResolver(sources, createReferences(sources)) };
}

/** A REST API and its stage, with the logical ids of the template fixture. */
export const restApi = {
  Api: { Type: 'AWS::ApiGateway::RestApi' },
  Stage: { Type: 'AWS::ApiGateway::Stage', Properties: { RestApiId: { Ref: 'Api' }, StageName: 'prod' } },
};
