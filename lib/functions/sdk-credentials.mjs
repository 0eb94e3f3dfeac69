/**
 * Replaces `@aws-sdk/credential-provider-node` in the bundles. Lambda puts the credentials of a function's role into
 * its environment. The other sources of that package (profiles, single sign-on, containers) add 18 kB to every cold start.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html#configuration-envvars-runtime
 */

export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
