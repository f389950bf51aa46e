{{/* Refuses values that no schema can refuse, all of them in one message. */}}
{{- define "waymark.checkValues" -}}
{{- $values := .Values -}}
{{- $faults := list -}}
{{- $required := dict "image.repository" $values.image.repository -}}
{{- if semverCompare "<1.25-0" (include "waymark.kubeVersion" .) -}}{{- $faults = append $faults "kubeVersion: the chart needs 1.25 or later" -}}{{- end -}}
{{- $name := include "waymark.fullname" . -}}
{{- if not (regexMatch "^[a-z]([a-z0-9-]*[a-z0-9])?$" $name) -}}
{{- $faults = append $faults (printf "fullnameOverride: it must be set, because %s is no name of a Service: lowercase letters, digits and hyphens, a letter first" $name) -}}
{{- end -}}
{{- if eq $values.mode "cluster" -}}
{{- $_ := set $required "keys.existingSecret" $values.keys.existingSecret -}}
{{- $_ := set $required "publicUrl" $values.publicUrl -}}
{{- range $engine := list "eventStore" "mongodb" "redis" "media" -}}
{{- $given := get $values $engine -}}
{{- $_ := set $required (printf "%s.url (or %s.entries.url)" $engine $engine) (or $given.url (dig "entries" "url" "" $given)) -}}
{{- end -}}
{{- $_ := set $required "kafka.brokers" $values.kafka.brokers -}}
{{- end -}}
{{- if $values.networkPolicy.enabled -}}
{{- $_ := set $required "networkPolicy.gateway.from" $values.networkPolicy.gateway.from -}}
{{- $_ := set $required "networkPolicy.scraper.from" $values.networkPolicy.scraper.from -}}
{{- if eq $values.mode "cluster" -}}
{{- range $engine := list "eventStore" "kafka" "mongodb" "redis" "media" -}}
{{- $_ := set $required (printf "networkPolicy.engines.%s.to" $engine) (dig $engine "to" list (default dict $values.networkPolicy.engines)) -}}
{{- end -}}
{{- end -}}
{{- if or $values.notary.checkpointsTo.url $values.notary.checkpointsTo.existingSecret -}}
{{- $_ := set $required "networkPolicy.checkpoints.to" $values.networkPolicy.checkpoints.to -}}
{{- end -}}
{{- end -}}
{{- if $values.notary.checkpointsTo.existingSecret -}}{{- $_ := set $required "notary.checkpointsTo.entry" $values.notary.checkpointsTo.entry -}}{{- end -}}
{{- if (default dict $values.httpRoute).enabled -}}{{- $_ := set $required "httpRoute.parentRefs" $values.httpRoute.parentRefs -}}{{- end -}}
{{- range $name := keys $required | sortAlpha -}}
{{- if not (get $required $name) -}}{{- $faults = append $faults (printf "%s: it must be set" $name) -}}{{- end -}}
{{- end -}}
{{- range $engine := list "eventStore" "kafka" "mongodb" "redis" "media" -}}
{{- $given := get $values $engine -}}
{{- if regexMatch "^[^/]+://[^/?]*@" (default "" $given.url) -}}
{{- $faults = append $faults (printf "%s.url: it has credentials, which belong into %s.existingSecret" $engine $engine) -}}
{{- end -}}
{{- $entries := list -}}
{{- range $field, $entry := $given.entries -}}
{{- if $entry -}}{{- $entries = append $entries $field -}}{{- end -}}
{{- if and $entry (get $given $field) -}}{{- $faults = append $faults (printf "%s.%s: %s.entries.%s gives it, too" $engine $field $engine $field) -}}{{- end -}}
{{- end -}}
{{- if and $given.existingSecret (not $entries) -}}
{{- $faults = append $faults (printf "%s.entries: it must name the entries of the Secret %s" $engine $given.existingSecret) -}}
{{- else if and $entries (not $given.existingSecret) -}}
{{- $faults = append $faults (printf "%s.existingSecret: it must be set with %s.entries" $engine $engine) -}}
{{- end -}}
{{- end -}}
{{- if regexMatch "^[^/]+://[^/?]*@" (default "" $values.notary.checkpointsTo.url) -}}
{{- $faults = append $faults "notary.checkpointsTo.url: it has credentials, which belong into notary.checkpointsTo.existingSecret" -}}
{{- end -}}
{{- with $values.notary.checkpointsTo -}}
{{- if gt (len (compact (list .url .existingSecret .existingClaim))) 1 -}}
{{- $faults = append $faults "notary.checkpointsTo: only one of url, existingSecret and existingClaim may be set" -}}
{{- end -}}
{{- end -}}
{{- range $field := list "nodePort" "externalTrafficPolicy" -}}
{{- if and (eq $values.service.type "ClusterIP") (get $values.service $field) -}}
{{- $faults = append $faults (printf "service.%s: only the types NodePort and LoadBalancer have it" $field) -}}
{{- end -}}
{{- end -}}
{{- range include "waymark.components" . | fromYamlArray -}}
{{- $context := merge (dict "root" $) (include "waymark.context" (list $ .) | fromJson) -}}
{{- $faults = concat $faults (include "waymark.workloadFaults" $context | fromJsonArray) -}}
{{- end -}}
{{- if $faults -}}{{- fail (printf "\nThe values are wrong:\n  %s" (uniq $faults | join "\n  ")) -}}{{- end -}}
{{- end -}}

{{- define "waymark.workloadFaults" -}}
{{- $faults := list -}}
{{- $own := .values -}}
{{- $memory := dig "limits" "memory" "" (default dict $own.resources) -}}
{{- $request := dig "requests" "memory" "" (default dict $own.resources) -}}
{{- if not $memory -}}{{- $faults = append $faults (printf "%s.resources.limits.memory: it must be set" .key) -}}{{- end -}}
{{- if and $request (ne (toString $request) (toString $memory)) -}}
{{- $faults = append $faults (printf "%s.resources.requests.memory: it must be the limit (%v), or not set" .key $memory) -}}
{{- end -}}
{{- with $own.autoscaling -}}
{{- if .enabled -}}
{{- $least := include "waymark.leastReplicas" $ | int -}}
{{- if lt (int .maxReplicas) (max $least (int $own.replicas)) -}}
{{- $faults = append $faults (printf "%s.autoscaling.maxReplicas: it must not be below the number of replicas" $.key) -}}
{{- end -}}
{{- if not (or .targetCPUUtilizationPercentage .targetMemoryUtilizationPercentage) -}}
{{- $faults = append $faults (printf "%s.autoscaling: it needs a target" $.key) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if eq .kind "StatefulSet" -}}{{- $faults = concat $faults (include "waymark.claimFaults" . | fromJsonArray) -}}{{- end -}}
{{- toJson $faults -}}
{{- end -}}

{{/* Returns the bytes of a quantity. Helm has floats for numbers, and the API server writes 2048Gi as 2Ti and 10000000000 as 10e9. */}}
{{- define "waymark.bytes" -}}
{{- $number := regexFind "^[0-9.]+(e[+]?[0-9]+)?" (toString .) -}}
{{- $decimal := dict "m" 0.001 "" 1 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "P" 1e15 "E" 1e18 -}}
{{- $binary := dict "Ki" 0x1p10 "Mi" 0x1p20 "Gi" 0x1p30 "Ti" 0x1p40 "Pi" 0x1p50 "Ei" 0x1p60 -}}
{{- printf "%.0f" (mulf $number (get (merge $decimal $binary) (trimPrefix $number (toString .)))) -}}
{{- end -}}

{{/* Kubernetes refuses a change of the claim of a StatefulSet, and does not say what to do. */}}
{{- define "waymark.claimFaults" -}}
{{- $faults := list -}}
{{- $own := .values.persistence -}}
{{- $name := printf "%s-%s" (include "waymark.fullname" .root) .name -}}
{{- $live := lookup "apps/v1" "StatefulSet" .root.Release.Namespace $name -}}
{{- $templates := dig "spec" "volumeClaimTemplates" list $live -}}
{{- if and $live (ne (empty $templates) (not (empty $own.existingClaim))) -}}
{{- $faults = append $faults (printf "%s.persistence.existingClaim: it cannot change; uninstall, which leaves the claim, and install again" .key) -}}
{{- else -}}
{{- range $templates -}}
{{- $size := dig "spec" "resources" "requests" "storage" "" . -}}
{{- if ne (include "waymark.bytes" $size) (include "waymark.bytes" $own.size) -}}
{{- $faults = append $faults (printf "%s.persistence.size: it was %s at the installation and stays so; a claim grows by kubectl patch pvc data-%s-0" $.key $size $name) -}}
{{- end -}}
{{- if ne (toJson .spec.accessModes) (toJson $own.accessModes) -}}
{{- $faults = append $faults (printf "%s.persistence.accessModes: they were %s at the installation and stay so" $.key (join ", " .spec.accessModes)) -}}
{{- end -}}
{{- if ne (default "" $own.storageClassName) (default "" .spec.storageClassName) -}}
{{- $faults = append $faults (printf "%s.persistence.storageClassName: it stays as it was at the installation" $.key) -}}
{{- end -}}
{{- if ne (toJson (default dict $own.annotations)) (toJson (dig "metadata" "annotations" dict .)) -}}
{{- $faults = append $faults (printf "%s.persistence.annotations: they stay as they were at the installation; those of the claim change by kubectl annotate pvc data-%s-0" $.key $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $faults -}}
{{- end -}}
