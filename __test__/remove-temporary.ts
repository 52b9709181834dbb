/** Removes a file's directories where its process goes on with other files, which load temporary.ts no second time. */
import { afterAll } from 'vitest'
import { removeTemporary } from './temporary.ts'

afterAll(removeTemporary)
