import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import { Tabs } from '@base-ui/react/tabs';
import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '#dashboard/components/button.tsx';
import { useCopying } from '#dashboard/components/copying.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import type { CallableModel } from '#lambdas/accounts/test-request/responses.ts';
import { exampleModels } from './example-model.ts';
import {
  type Snippet,
  type SnippetSubject,
  type SnippetValues,
  snippetsFor,
  subjectsOf,
} from './snippets.ts';

const codeHeight = 'h-61';

interface SnippetTabsProps {
  title?: string;
  /** Ends in `/ai`. */
  baseUrl: string;
  apiKey: string;
  /** The models that can be called; `null` while they load: code with another model would be copied. */
  models: readonly CallableModel[] | null;
  /** The model of chat completions; `null` for an example. */
  chatModel?: string | null;
  onCopied?: () => void;
}

/** The key in code for each operation, in several languages, and in the settings of agents. */
export function SnippetTabs({
  title = 'Use it in your code',
  baseUrl,
  apiKey,
  models,
  chatModel = null,
  onCopied,
}: SnippetTabsProps) {
  const [language, setLanguage] = useState('curl');
  const [agent, setAgent] = useState('Claude Code');
  const [chosenSubject, setSubject] = useState<SnippetSubject>('chat.completions');
  const isLoading = models === null;
  const examples = exampleModels(models ?? []);
  const values: SnippetValues = {
    baseUrl,
    key: apiKey,
    models: chatModel === null ? examples : { ...examples, 'chat.completions': chatModel },
  };
  const subjects = subjectsOf(values.models);
  const subject = subjects.includes(chosenSubject) ? chosenSubject : 'chat.completions';
  const snippets = snippetsFor(subject, values);
  const isForAgents = subject === 'agents';
  const chosenTitle = isForAgents ? agent : language;
  const shown = snippets.find(({ title }) => title === chosenTitle) ?? snippets[0];
  return (
    <section aria-labelledby="snippets-title" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-2">
        <h3 id="snippets-title" className="font-medium">
          {title}
        </h3>
        <SubjectSwitch subjects={subjects} value={subject} onValueChange={setSubject} />
      </div>
      <Tabs.Root
        value={shown?.title}
        onValueChange={isForAgents ? setAgent : setLanguage}
        className="overflow-hidden rounded-lg border border-line bg-canvas"
      >
        <div className="flex items-center justify-between gap-2 border-b border-line bg-surface pr-1.5">
          <Tabs.List
            aria-label={isForAgents ? 'Agent' : 'Language'}
            className="relative flex h-11 items-stretch gap-1 px-2"
          >
            {snippets.map((each) => (
              <Tabs.Tab
                key={each.title}
                value={each.title}
                className="rounded-md px-2.5 text-[0.8125rem] font-medium text-muted transition-colors hover:text-text focus-visible:-outline-offset-4 data-active:text-text"
              >
                {each.title}
              </Tabs.Tab>
            ))}
            <Tabs.Indicator className="absolute -bottom-px left-0 h-0.5 w-(--active-tab-width) translate-x-(--active-tab-left) bg-accent transition-[translate,width] duration-150 ease-out" />
          </Tabs.List>
          {shown && !isLoading && <CopySnippet snippet={shown} onCopied={onCopied} />}
        </div>
        {snippets.map((each) => (
          <Tabs.Panel key={each.title} value={each.title} tabIndex={-1}>
            {isLoading ? <CodeSkeleton /> : <Code text={each.text} />}
          </Tabs.Panel>
        ))}
      </Tabs.Root>
    </section>
  );
}

function Code({ text }: { text: string }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
      tabIndex={0}
      className={`${codeHeight} overflow-auto px-4 py-3 font-mono text-[0.8125rem]/5 focus-visible:-outline-offset-2`}
    >
      <code>{text}</code>
    </pre>
  );
}

function CodeSkeleton() {
  return (
    <div aria-busy="true" className={`${codeHeight} flex flex-col gap-3 px-4 py-4`}>
      {['w-2/3', 'w-1/2', 'w-3/5'].map((width) => (
        <Skeleton key={width} className={`h-4 ${width}`} />
      ))}
      <span className="sr-only">Loading models…</span>
    </div>
  );
}

interface CopySnippetProps {
  snippet: Snippet;
  onCopied?: () => void;
}

function CopySnippet({ snippet, onCopied }: CopySnippetProps) {
  const { copied, copy } = useCopying(snippet.text);
  useEffect(() => {
    if (copied) onCopied?.();
  }, [copied, onCopied]);
  return (
    <>
      <Button size="small" aria-label={`Copy the text for ${snippet.title}`} onClick={copy}>
        {copied ? <Check aria-hidden /> : <Copy aria-hidden />}
        {copied ? 'Copied' : 'Copy'}
      </Button>
      <span role="status" className="sr-only">
        {copied && 'Copied'}
      </span>
    </>
  );
}

const titles: Record<SnippetSubject, string> = {
  'chat.completions': 'Chat',
  responses: 'Responses',
  embeddings: 'Embeddings',
  agents: 'Agents',
};

interface SubjectSwitchProps {
  subjects: readonly SnippetSubject[];
  value: SnippetSubject;
  onValueChange: (subject: SnippetSubject) => void;
}

/** A choice between what the code can be for. */
function SubjectSwitch({ subjects, value, onValueChange }: SubjectSwitchProps) {
  return (
    <RadioGroup
      aria-label="Operation"
      value={value}
      onValueChange={(subject) => onValueChange(subject)}
      className="flex flex-wrap rounded-lg border border-control bg-canvas p-0.5"
    >
      {subjects.map((subject) => (
        <Radio.Root
          key={subject}
          value={subject}
          className="cursor-pointer rounded-md px-2 py-0.5 text-[0.8125rem]/5 font-medium text-muted transition-colors select-none sm:px-2.5 hover:text-text data-checked:bg-raised data-checked:text-text data-checked:shadow-card"
        >
          {titles[subject]}
        </Radio.Root>
      ))}
    </RadioGroup>
  );
}
