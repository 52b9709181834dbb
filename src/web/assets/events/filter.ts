import { useState } from '../lib/html.ts'
import { TOPICS, type Topic } from './sentences.ts'

const KEY = 'chronym-event-topics'
/** Pulses say nothing that the state of the network does not. */
const FIRST = (Object.keys(TOPICS) as Topic[]).filter((topic) => topic !== 'beacon')

/** Without the topic where it was there, with it where it was not. */
export const toggled = (topics: ReadonlySet<Topic>, topic: Topic): Set<Topic> =>
  new Set(topics.has(topic) ? [...topics].filter((each) => each !== topic) : [...topics, topic])

/** What was chosen last in this tab; whatever is no topic is left out. */
export function read(text: string | null): Set<Topic> {
  if (text === null) return new Set(FIRST)
  return new Set(text.split(',').filter((topic): topic is Topic => topic in TOPICS))
}

/** Kept while the tab is. */
export function useFilter(): readonly [topics: Set<Topic>, setTopics: (next: Set<Topic>) => void] {
  const [topics, setTopics] = useState(() => read(sessionStorage.getItem(KEY)))
  return [
    topics,
    (next) => {
      sessionStorage.setItem(KEY, [...next].join(','))
      setTopics(next)
    }
  ]
}
