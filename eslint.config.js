import js from '@eslint/js'
import regexp from 'eslint-plugin-regexp'
import tseslint from 'typescript-eslint'

export default tseslint.config(
  { ignores: ['node_modules', 'target', 'dist', '.toolchain', 'native', 'npm', 'crates'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      // Log lines and messages contain numbers and booleans.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // An index signature read with [] may be undefined by `noUncheckedIndexedAccess`; `!` after a length check says
      // so.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      'no-console': 'error'
    }
  },
  {
    files: ['__test__/**/*.ts', 'bench/**/*.ts', 'lab/**/*.ts', 'docs/examples/*.ts', 'scripts/**/*.ts'],
    rules: {
      'no-console': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/require-await': 'off'
    }
  },
  {
    files: ['{__test__,lab/__test__}/**/*.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'vi',
          property: 'waitFor',
          message:
            'It gives up after a second, which a busy machine may need: waitFor of __test__/wait-for.ts does not.'
        },
        {
          object: 'performance',
          property: 'now',
          message:
            'How long something takes is for bench/ to measure: a test that depends on it fails on a busy machine.'
        }
      ]
    }
  },
  {
    // A text of one repeated mark must not hang the one who reads it.
    files: ['src/**/*.ts'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignoreSticky: false }]
    }
  },
  {
    // Octets that are not UTF-8 would become U+FFFD, and be saved, signed and published so.
    files: ['src/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...[
          'NewExpression[callee.name="TextDecoder"]:not(:has(Property[key.name="fatal"] > Literal[value=true]))',
          'CallExpression[callee.name=/^readFile/] > Literal[value=/^utf-?8$/i]',
          'CallExpression[callee.name=/^readFile/] Property[key.name="encoding"] > Literal[value=/^utf-?8$/i]',
          'CallExpression[callee.property.name="toString"] > Literal[value=/^utf-?8$/i]',
          'CallExpression[callee.property.name="setEncoding"]',
          'CallExpression[callee.property.name="text"][callee.object.name="file"]'
        ].map((selector) => ({
          selector,
          message: 'It hides octets that are not UTF-8: use textOfUtf8 of src/util/utf8.ts, or a fatal TextDecoder.'
        }))
      ]
    }
  },
  // Prettier breaks lines where this rule expects a forgotten semicolon.
  { rules: { 'no-unexpected-multiline': 'off' } },
  {
    files: ['**/*.mjs', '**/*.js'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        Buffer: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        fetch: 'readonly'
      }
    }
  },
  {
    // The dashboard: what a browser has, and nothing of Node, whose types come with those of the API.
    files: ['src/web/assets/**/*.ts'],
    rules: { 'no-restricted-globals': ['error', 'process', 'Buffer', 'global', 'setImmediate', 'clearImmediate'] }
  }
)
