interface Question {
  title: string
  lines: string[]
  changes?: { added: string[]; removed: string[] }
}
export type Send = (path: string, body?: object) => Promise<object>
export type Ask = (question: Question) => Promise<boolean>

/** A person who gives these answers in turn, and what was asked; a question too many is an error. */
export function person(...answers: boolean[]) {
  const asked: Question[] = []
  const ask: Ask = async (question) => {
    asked.push(question)
    if (asked.length > answers.length) throw new Error(`nobody expected: ${question.title}`)
    return answers[asked.length - 1]!
  }
  return { asked, ask }
}
